package db

import (
	"context"
	"testing"

	"portico/internal/testkit/postgres"
	"portico/model"
)

// A new foreign key needs a text for the row that another transaction deletes meanwhile, or a
// reason here.
func TestViolation_has_a_text_for_each_foreign_key(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ourMistakes := map[string]string{
		"jobs_upload_id_fkey":  "the transaction has locked the upload; an upload with a job is not deleted",
		"files_upload_id_fkey": "the transaction has locked the upload; an upload with a file is not deleted",
	}
	for _, column := range []string{"glb", "splat", "binding", "fit", "thumbnail"} {
		ourMistakes["avatars_"+column+"_fkey"] = "keepFilesOf has locked the files, and refuses one that is missing"
	}
	texts := map[string]string{
		"users": model.UserNotFound, "spaces": model.SpaceNotFound, "space_versions": model.VersionNotFound,
		"files": model.FileNotFound, "uploads": model.UploadNotFound, "webhooks": model.WebhookNotFound,
		"oauth_clients": model.ClientNotFound, "one_time_codes": model.OneTimeCodesOff,
	}
	var keys []struct{ Name, Referred string }
	check(t, db.idb.NewRaw(`SELECT conname AS name, confrelid::regclass::text AS referred FROM pg_constraint
		WHERE contype = 'f' AND conparentid = 0 AND confrelid::regclass::text NOT LIKE 'river%'`).Scan(t.Context(), &keys))
	for _, key := range keys {
		want, known := texts[key.Referred]
		if reason := ourMistakes[key.Name]; reason != "" {
			want, known = "", true
		}
		got := ""
		if refusal := violation(key.Name); refusal != nil {
			got = refusal.Message
		}
		if got != want || !known {
			t.Errorf("%s, which refers to %s: got %q, want %q", key.Name, key.Referred, got, want)
		}
	}
	if len(keys) < len(texts) {
		t.Errorf("got %d foreign keys of the migrated schema, want at least %d", len(keys), len(texts))
	}
}

// The row that a request has just read is deleted before the request adds what refers to it.
func TestTranslate_reports_what_was_deleted_meanwhile(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		// race returns the deletion, and the write that waits for it.
		race func(t *testing.T, db *DB, user *model.User) (remove, write func(context.Context, *DB) error)
		want string
	}{
		{"the_space_of_a_report", func(t *testing.T, db *DB, user *model.User) (remove, write func(context.Context, *DB) error) {
			t.Helper()
			space := publicSpace(t, db, user, "Hall")
			return deletionOfSpace(space), func(ctx context.Context, db *DB) error {
				_, err := db.Moderation().AddReport(ctx, model.ReportSpace{SpaceID: space.ID, Reason: model.ReportSpam}, "visitor")
				return err
			}
		}, model.SpaceNotFound},
		{"the_webhook_of_a_test", func(t *testing.T, db *DB, user *model.User) (remove, write func(context.Context, *DB) error) {
			t.Helper()
			webhook := addWebhook(t, db, user)
			return func(ctx context.Context, tx *DB) error { return tx.Webhooks().DeleteWebhook(ctx, user.ID, webhook.ID) },
				func(ctx context.Context, db *DB) error {
					_, err := db.Webhooks().AddTestDelivery(ctx, webhook)
					return err
				}
		}, model.WebhookNotFound},
		{"a_follower", func(t *testing.T, db *DB, user *model.User) (remove, write func(context.Context, *DB) error) {
			t.Helper()
			followed := addUser(t, db)
			return func(ctx context.Context, tx *DB) error { return tx.Accounts().DeleteUser(ctx, user.ID, allow) },
				func(ctx context.Context, db *DB) error { return db.Accounts().Follow(ctx, followed.ID, user.ID) }
		}, model.UserNotFound},
		{"the_space_of_an_entity", func(t *testing.T, db *DB, user *model.User) (remove, write func(context.Context, *DB) error) {
			t.Helper()
			space := addSpace(t, db, user, "Hall")
			return deletionOfSpace(space), func(ctx context.Context, db *DB) error {
				_, err := db.Entities().AddEntity(ctx, model.NewEntity(space.ID, "e", model.TypeSimple, nil))
				return err
			}
		}, model.SpaceNotFound},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			url := postgres.URL(t, migrateTest)
			db := openTest(t, Options{URL: url, Connections: 4, Logger: quiet()})
			remove, write := test.race(t, db, addUser(t, db))
			err := writeDuringDeletion(t, db, url, remove, write)
			if checkCode(t, err, model.CodeNotFound); err != nil && err.Error() != test.want {
				t.Errorf("text: got %q, want %q", err, test.want)
			}
		})
	}
}

// writeDuringDeletion returns the error of a write that waits for the commit of a deletion.
func writeDuringDeletion(t *testing.T, db *DB, url string, remove, write func(context.Context, *DB) error) error {
	t.Helper()
	writer, pid := singleConnection(t, db, url)
	t.Cleanup(func() { check(t, writer.root.Close()) })
	written := make(chan error, 1)
	check(t, db.InTx(t.Context(), func(tx *DB) error {
		check(t, remove(t.Context(), tx))
		go func() { written <- write(t.Context(), writer) }()
		untilBlocked(t, db, pid)
		return nil
	}))
	return <-written
}

// deletionOfSpace returns a function that deletes the space.
func deletionOfSpace(space *model.Space) func(context.Context, *DB) error {
	return func(ctx context.Context, tx *DB) error {
		_, err := tx.Spaces().DeleteSpace(ctx, space.ID)
		return err
	}
}
