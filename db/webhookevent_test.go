package db

import (
	"fmt"
	"sync"
	"testing"

	"portico/model"
)

// The change of a writer may take its number early and commit late. If it commits while the events
// of other changes are added, it is reported with the next ones.
func TestRecordVersions_reports_a_change_that_commits_meanwhile(t *testing.T) {
	t.Parallel()
	for _, limits := range []model.HistoryLimits{keepAll, {}} {
		t.Run(fmt.Sprint(limits.Versions), func(t *testing.T) {
			t.Parallel()
			db := testDB(t)
			user := addUser(t, db)
			space, webhook := addSpace(t, db, user, "hall"), addWebhook(t, db, user)
			ctx := asCaller(t, user, model.DoorREST)
			// Updates of the same size: a new entity may lock the account until the commit.
			for _, id := range []string{"slow", "quick"} {
				put(ctx, t, db, space, id, `{"n":1}`)
			}
			record(t, db, limits)
			before := events(t, db, webhook)
			blocker, err := db.root.BeginTx(t.Context(), nil)
			check(t, err)
			var recorded sync.WaitGroup
			check(t, db.InTx(ctx, func(tx *DB) error {
				put(ctx, t, tx, space, "slow", `{"n":2}`)
				put(ctx, t, db, space, "quick", `{"n":2}`)
				// The recorder reads the changes, and then waits for the space.
				_, err := blocker.ExecContext(t.Context(), "SELECT FROM spaces FOR UPDATE")
				recorded.Go(func() { record(t, db, limits) })
				waitForWaiter(t, db)
				return err
			}))
			check(t, blocker.Rollback())
			recorded.Wait()
			record(t, db, limits)
			event := `entity.changed {"created": [], "deleted": [], "spaceId": "` + space.ID + `", "updated": ["%s"]}`
			if got, want := events(t, db, webhook), fmt.Sprintf("%s\n"+event+"\n"+event, before, "quick", "slow"); got != want {
				t.Errorf("events: got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// The foreign key of an event would wait for the deletion of the webhook, and then fail the change.
func TestDeleteWebhook_does_not_disturb_the_changes_that_other_webhooks_report(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	user := addUser(t, db)
	hall, attic := addSpace(t, db, user, "hall"), addSpace(t, db, user, "attic")
	deleted, kept := addWebhook(t, db, user), addWebhook(t, db, user)
	ctx := asCaller(t, user, model.DoorREST)
	put(ctx, t, db, hall, "e", `{}`)
	check(t, db.InTx(t.Context(), func(tx *DB) error {
		check(t, tx.Webhooks().DeleteWebhook(t.Context(), user.ID, deleted.ID))
		_, err := db.Spaces().DeleteSpace(ctx, attic.ID)
		record(t, db, keepAll)
		return err
	}))
	want := `space.deleted {"spaceId":"` + attic.ID + `","title":"attic"}` + "\n" +
		`entity.changed {"created": ["e"], "deleted": [], "spaceId": "` + hall.ID + `", "updated": []}`
	if got := events(t, db, kept); got != want {
		t.Errorf("events: got\n%s\nwant\n%s", got, want)
	}
}
