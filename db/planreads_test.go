package db

import (
	"context"

	"portico/model"
)

// statementsOfReads are the reads of single rows, and of lists that belong to one row.
func statementsOfReads() statementsOf {
	spaces, page := []string{grownSpace, "s6"}, model.Page{Limit: 50}
	return statementsOf{
		"Space": func(ctx context.Context, db *DB) error { _, err := db.Spaces().Space(ctx, grownSpace); return err },
		"User":  func(ctx context.Context, db *DB) error { _, err := db.Accounts().User(ctx, grownUser); return err },
		"EntityWithSpace": func(ctx context.Context, db *DB) error {
			_, _, err := db.Entities().EntityWithSpace(ctx, grownSpace, "e4")
			return err
		},
		"OwnedEntities": func(ctx context.Context, db *DB) error {
			_, err := db.Entities().OwnedEntities(ctx, grownUser, grownSpace, page)
			return err
		},
		"AllEntities": func(ctx context.Context, db *DB) error {
			_, err := db.Entities().AllEntities(ctx, grownSpace, 1<<20)
			return err
		},
		"EntitiesOfSpace": func(ctx context.Context, db *DB) error {
			_, err := db.Entities().EntitiesOfSpace(ctx, grownSpace, []string{"e4", "e504"})
			return err
		},
		"EntitiesNaming": func(ctx context.Context, db *DB) error {
			_, err := db.Entities().EntitiesNaming(ctx, grownSpace, "https://files.example/", 4)
			return err
		},
		"ShownFiles": func(ctx context.Context, db *DB) error {
			_, err := db.Spaces().ShownFiles(ctx, grownUser, false)
			return err
		},
		"Covers":      func(ctx context.Context, db *DB) error { _, err := db.Spaces().Covers(ctx, spaces); return err },
		"AnyReadable": func(ctx context.Context, db *DB) error { _, err := db.Spaces().AnyReadable(ctx, spaces); return err },
		"SitemapPage": func(ctx context.Context, db *DB) error { _, err := db.Spaces().SitemapPage(ctx, 100, 10); return err },
		"FilesByKey": func(ctx context.Context, db *DB) error {
			_, err := db.Files().FilesByKey(ctx, []string{"key4", "key5"})
			return err
		},
		"Upload": func(ctx context.Context, db *DB) error { _, err := db.Uploads().Upload(ctx, "4"); return err },
		"Jobs": func(ctx context.Context, db *DB) error {
			_, err := db.Jobs().Jobs(ctx, grownUser, model.JobFilter{}, page)
			return err
		},
		"KeyIsValid": func(ctx context.Context, db *DB) error { _, err := db.Keys().KeyIsValid(ctx, "5"); return err },
		"Profiles": func(ctx context.Context, db *DB) error {
			_, err := db.Accounts().Profiles(ctx, []string{grownUser, "10000006"}, "10000007")
			return err
		},
		"AccountPictures": func(ctx context.Context, db *DB) error {
			_, err := db.Accounts().AccountPictures(ctx, []string{grownUser, "10000006"})
			return err
		},
		"AccountOfHandle": func(ctx context.Context, db *DB) error {
			_, _, err := db.Handles().AccountOfHandle(ctx, "name5")
			return err
		},
		"HandlesOf": func(ctx context.Context, db *DB) error {
			_, err := db.Handles().HandlesOf(ctx, []string{grownUser, "10000006"})
			return err
		},
		"FormerHandles": func(ctx context.Context, db *DB) error {
			_, err := db.Handles().FormerHandles(ctx, grownUser)
			return err
		},
		"SpaceOfNames": func(ctx context.Context, db *DB) error {
			_, err := db.Handles().SpaceOfNames(ctx, model.Named{Handle: "name5", Slug: "s4"})
			return err
		},
		"NamesOfSpaces": func(ctx context.Context, db *DB) error {
			_, err := db.Handles().NamesOfSpaces(ctx, spaces)
			return err
		},
		"Following": func(ctx context.Context, db *DB) error {
			_, err := db.Accounts().Following(ctx, grownUser, "", 10)
			return err
		},
		"FollowedPage": func(ctx context.Context, db *DB) error {
			_, err := db.Accounts().FollowedPage(ctx, grownUser, page)
			return err
		},
		"FollowerPage": func(ctx context.Context, db *DB) error {
			_, err := db.Accounts().FollowerPage(ctx, grownUser, page)
			return err
		},
		"Notification": func(ctx context.Context, db *DB) error {
			_, err := db.Notifications().Notification(ctx, grownUser, "4")
			return notMissing(err)
		},
	}
}
