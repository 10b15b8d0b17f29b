package db

import (
	"context"

	"portico/model"
)

// statementsOfReads are the reads of single rows, and of lists that belong to one row.
func statementsOfReads() statementsOf {
	spaces, page := []string{grownSpace, "s6"}, model.Page{Limit: 50}
	return statementsOf{
		"Space": func(ctx context.Context, db *DB) error { _, err := db.Space(ctx, grownSpace); return err },
		"User":  func(ctx context.Context, db *DB) error { _, err := db.User(ctx, grownUser); return err },
		"EntityWithSpace": func(ctx context.Context, db *DB) error {
			_, _, err := db.EntityWithSpace(ctx, grownSpace, "e4")
			return err
		},
		"OwnedEntities": func(ctx context.Context, db *DB) error {
			_, err := db.OwnedEntities(ctx, grownUser, grownSpace, page)
			return err
		},
		"AllEntities": func(ctx context.Context, db *DB) error { _, err := db.AllEntities(ctx, grownSpace, 1<<20); return err },
		"EntitiesOfSpace": func(ctx context.Context, db *DB) error {
			_, err := db.EntitiesOfSpace(ctx, grownSpace, []string{"e4", "e504"})
			return err
		},
		"EntitiesNaming": func(ctx context.Context, db *DB) error {
			_, err := db.EntitiesNaming(ctx, grownSpace, "https://files.example/", 4)
			return err
		},
		"ShownFiles":  func(ctx context.Context, db *DB) error { _, err := db.ShownFiles(ctx, grownUser); return err },
		"Covers":      func(ctx context.Context, db *DB) error { _, err := db.Covers(ctx, spaces); return err },
		"AnyReadable": func(ctx context.Context, db *DB) error { _, err := db.AnyReadable(ctx, spaces); return err },
		"SitemapPage": func(ctx context.Context, db *DB) error { _, err := db.SitemapPage(ctx, 100, 10); return err },
		"FilesByKey": func(ctx context.Context, db *DB) error {
			_, err := db.FilesByKey(ctx, []string{"key4", "key5"})
			return err
		},
		"Upload": func(ctx context.Context, db *DB) error { _, err := db.Upload(ctx, "4"); return err },
		"Jobs": func(ctx context.Context, db *DB) error {
			_, err := db.Jobs(ctx, grownUser, model.JobFilter{}, page)
			return err
		},
		"KeyIsValid": func(ctx context.Context, db *DB) error { _, err := db.KeyIsValid(ctx, "5"); return err },
		"Profiles": func(ctx context.Context, db *DB) error {
			_, err := db.Profiles(ctx, []string{grownUser, "10000006"}, "10000007")
			return err
		},
		"AccountPictures": func(ctx context.Context, db *DB) error {
			_, err := db.AccountPictures(ctx, []string{grownUser, "10000006"})
			return err
		},
		"Following":    func(ctx context.Context, db *DB) error { _, err := db.Following(ctx, grownUser, "", 10); return err },
		"FollowedPage": func(ctx context.Context, db *DB) error { _, err := db.FollowedPage(ctx, grownUser, page); return err },
		"FollowerPage": func(ctx context.Context, db *DB) error { _, err := db.FollowerPage(ctx, grownUser, page); return err },
		"Notification": func(ctx context.Context, db *DB) error {
			_, err := db.Notification(ctx, grownUser, "4")
			return notMissing(err)
		},
	}
}
