package db

import (
	"context"
	"time"

	"portico/model"
)

func statementsOfSpaces(after model.Page) statementsOf {
	return statementsOf{
		"SpacesOf": func(ctx context.Context, db *DB) error {
			_, err := db.Spaces().SpacesOf(ctx, grownUser, model.SpaceFilter{}, after)
			return err
		},
		"SpacesOf_search": func(ctx context.Context, db *DB) error {
			_, err := db.Spaces().SpacesOf(ctx, grownUser, model.SpaceFilter{}, model.Page{Limit: 50, Search: "kitchen"})
			return err
		},
		"PublicSpaces_search": func(ctx context.Context, db *DB) error {
			_, err := db.Spaces().PublicSpaces(ctx, model.SpaceFilter{}, model.Page{Limit: 50, Search: "kitchen"})
			return err
		},
		"PublicSpaces_search_of_all": func(ctx context.Context, db *DB) error {
			_, err := db.Spaces().PublicSpaces(ctx, model.SpaceFilter{}, model.Page{Limit: 50, Search: "space"})
			return err
		},
		"PublicSpaces": func(ctx context.Context, db *DB) error {
			_, err := db.Spaces().PublicSpaces(ctx, model.SpaceFilter{}, after)
			return err
		},
		"PublicSpacesOf": func(ctx context.Context, db *DB) error {
			_, err := db.Spaces().PublicSpacesOf(ctx, []string{grownUser, "10000006"}, after)
			return err
		},
		"SpacesByID": func(ctx context.Context, db *DB) error {
			_, err := db.Spaces().SpacesByID(ctx, []string{"s1", grownSpace})
			return err
		},
		"Visit": func(ctx context.Context, db *DB) error {
			_, err := db.Spaces().Visit(ctx, grownSpace, "v4")
			return err
		},
		"DailyVisits": func(ctx context.Context, db *DB) error {
			_, err := db.Spaces().DailyVisits(ctx, []string{"s1", grownSpace}, 30)
			return err
		},
		"Statistics": func(ctx context.Context, db *DB) error {
			_, err := db.Spaces().Statistics(ctx, grownSpace, 30)
			return err
		},
		"AddStatistics": func(ctx context.Context, db *DB) error {
			return db.Spaces().AddStatistics(ctx, []model.Statistic{{SpaceID: grownSpace, Day: "2026-01-01", Kind: model.StatisticHost, Name: "a.example", Count: 1}})
		},
		"PurgeStatistics": func(ctx context.Context, db *DB) error { _, err := db.Spaces().PurgeStatistics(ctx, 10); return err },
		"PurgeVisits":     func(ctx context.Context, db *DB) error { _, err := db.Spaces().PurgeVisits(ctx, 10); return err },
	}
}

func statementsOfEntities(after model.Page) statementsOf {
	return statementsOf{
		"OwnedEntity": func(ctx context.Context, db *DB) error {
			_, err := db.Entities().OwnedEntity(ctx, grownUser, grownSpace, "e4")
			return err
		},
		"EntitiesWithSpaces": func(ctx context.Context, db *DB) error {
			_, _, err := db.Entities().EntitiesWithSpaces(ctx, []string{grownSpace + "/e4", grownSpace + "/e5", "none/e4"})
			return err
		},
		"DeleteOwned": func(ctx context.Context, db *DB) error {
			_, err := db.Entities().DeleteOwnedEntity(ctx, grownUser, grownSpace, "none")
			return err
		},
		"MergeOwned": func(ctx context.Context, db *DB) error {
			in := model.UpdateEntity{SpaceID: grownSpace, EntityID: "none", Data: model.Object("{}")}
			_, err := db.Entities().MergeOwnedEntity(ctx, grownUser, in)
			return err
		},
		"Entities": func(ctx context.Context, db *DB) error {
			_, err := db.Entities().Entities(ctx, grownSpace, model.Page{Limit: 50})
			return err
		},
		"Entities_after": func(ctx context.Context, db *DB) error {
			_, err := db.Entities().Entities(ctx, grownSpace, after)
			return err
		},
		"EntitiesOf": func(ctx context.Context, db *DB) error {
			_, err := db.Entities().EntitiesOf(ctx, []string{grownSpace, "s6"}, model.EntityFilter{Type: []string{"Simple"}}, after)
			return err
		},
		"EntitiesThatShow": func(ctx context.Context, db *DB) error {
			_, err := db.Entities().EntitiesThatShow(ctx, grownUser, []string{"a", "b"}, after)
			return err
		},
		"EntityVersions": func(ctx context.Context, db *DB) error {
			_, err := db.History().EntityVersions(ctx, grownSpace)
			return err
		},
		"VersionedEntities": func(ctx context.Context, db *DB) error {
			_, err := db.History().VersionedEntities(ctx, grownSpace, []string{"e4", "e504"}, 1<<20)
			return err
		},
	}
}

func statementsOfFiles(after model.Page) statementsOf {
	return statementsOf{
		"Files": func(ctx context.Context, db *DB) error {
			_, err := db.Files().Files(ctx, grownUser, model.FileFilter{}, after)
			return err
		},
		"FileOf": func(ctx context.Context, db *DB) error {
			_, err := db.Files().FileOf(ctx, grownUser, "key4")
			return err
		},
		"runningFileJob": func(ctx context.Context, db *DB) error {
			_, err := db.Jobs().runningFileJob(ctx, &model.Job{SourceKey: "key4", ConvertTo: model.ConvertToSOG})
			return err
		},
		"LockFile": func(ctx context.Context, db *DB) error {
			_, err := db.Files().LockFile(ctx, grownUser, "key4")
			return notMissing(err)
		},
		"FileOfUpload": func(ctx context.Context, db *DB) error { _, err := db.Files().FileOfUpload(ctx, "4"); return err },
		"UploadOf": func(ctx context.Context, db *DB) error {
			_, err := db.Uploads().UploadOf(ctx, grownUser, "key4")
			return err
		},
		"IsReserved": func(ctx context.Context, db *DB) error {
			_, err := db.Uploads().IsReserved(ctx, "4", time.Minute)
			return err
		},
		"Job": func(ctx context.Context, db *DB) error { _, err := db.Jobs().Job(ctx, "j4"); return err },
		"RecentJobsOf": func(ctx context.Context, db *DB) error {
			_, err := db.Jobs().RecentJobsOf(ctx, grownUser, time.Hour)
			return err
		},
		"DueRemovals": func(ctx context.Context, db *DB) error { _, err := db.Files().DueRemovals(ctx, 10); return err },
		"CancelRemoval": func(ctx context.Context, db *DB) error {
			_, err := db.Files().CancelRemoval(ctx, "key4")
			return err
		},
		"PurgeJobs": func(ctx context.Context, db *DB) error {
			_, err := db.Jobs().PurgeJobs(ctx, time.Now().Add(-time.Hour), 10)
			return err
		},
		"SweepResults": func(ctx context.Context, db *DB) error {
			_, err := db.Files().SweepResults(ctx, &model.Job{ID: "j4", UserID: grownUser, Attempt: 1}, grownUser+"/key4/")
			return err
		},
		"DueSweeps":   func(ctx context.Context, db *DB) error { _, err := db.Files().DueSweeps(ctx, 10); return err },
		"FinishSweep": func(ctx context.Context, db *DB) error { return db.Files().FinishSweep(ctx, "key4", true) },
		"ExtendReservation": func(ctx context.Context, db *DB) error {
			_, err := db.Uploads().ExtendReservation(ctx, grownUser+"/key4")
			return err
		},
		"KeepReceived": func(ctx context.Context, db *DB) error {
			_, err := db.Uploads().KeepReceived(ctx, grownUser+"/key4")
			return err
		},
		"ExpiredUploads": func(ctx context.Context, db *DB) error { _, err := db.Uploads().ExpiredUploads(ctx, 10); return err },
		"PurgeUploads": func(ctx context.Context, db *DB) error {
			_, err := db.Uploads().PurgeUploads(ctx, time.Now().Add(-time.Hour), 10)
			return err
		},
		"DiscardExpired": func(ctx context.Context, db *DB) error {
			_, err := db.Uploads().DiscardExpired(ctx, time.Now().Add(-time.Hour), 10)
			return err
		},
	}
}

func statementsOfUsers(after model.Page) statementsOf {
	return statementsOf{
		"KeyOf": func(ctx context.Context, db *DB) error { _, err := db.Keys().KeyOf(ctx, grownUser); return err },
		"KeyByLookup": func(ctx context.Context, db *DB) error {
			_, err := db.Keys().KeyByLookup(ctx, []byte("x"))
			return notMissing(err)
		},
		"UserByEmail": func(ctx context.Context, db *DB) error {
			_, err := db.Accounts().UserByEmail(ctx, "5@example.com")
			return err
		},
		"Storage": func(ctx context.Context, db *DB) error { _, err := db.Accounts().Storage(ctx, grownUser); return err },
		"Profile": func(ctx context.Context, db *DB) error {
			_, err := db.Accounts().Profile(ctx, grownUser, "10000006")
			return err
		},
		"Notifications": func(ctx context.Context, db *DB) error {
			_, err := db.Notifications().Notifications(ctx, grownUser, after)
			return err
		},
		"NotificationsAfter": func(ctx context.Context, db *DB) error {
			_, _, err := db.Notifications().NotificationsAfter(ctx, grownUser, ReadPosition{model.Position{Transaction: "1"}, "1:1:"}, Batch{Rows: 10, Bytes: 1})
			return err
		},
		"AddSecurityEvent": func(ctx context.Context, db *DB) error {
			return db.Audit().AddSecurityEvent(ctx, model.NewSecurityEvent(ctx, model.EventSignedIn, grownUser))
		},
		"SecurityEvents": func(ctx context.Context, db *DB) error {
			_, err := db.Audit().SecurityEvents(ctx, grownUser, after)
			return err
		},
		"AuditTrail": func(ctx context.Context, db *DB) error {
			_, err := db.Audit().AuditTrail(ctx, AuditFilter{UserID: grownUser, Since: time.Now(), After: 3000}, 10)
			return err
		},
	}
}

func statementsOfWatchers() statementsOf {
	return statementsOf{
		"FileRowVersions": func(ctx context.Context, db *DB) error {
			_, err := db.Watched().FileRowVersions(ctx, grownUser)
			return err
		},
		"VersionedFiles": func(ctx context.Context, db *DB) error {
			_, err := db.Watched().VersionedFiles(ctx, []string{"key4"})
			return err
		},
		"SpaceRowVersions": func(ctx context.Context, db *DB) error {
			_, err := db.Watched().SpaceRowVersions(ctx, grownUser)
			return err
		},
		"LimitedSpaces": func(ctx context.Context, db *DB) error {
			_, err := db.Watched().LimitedSpaces(ctx, []string{grownSpace}, 1<<20)
			return err
		},
		"announceFile": func(ctx context.Context, db *DB) error { return db.Watched().announceFile(ctx, grownUser, "4") },
	}
}

func notMissing(err error) error {
	if model.CodeOf(err) == model.CodeNotFound {
		return nil
	}
	return err
}
