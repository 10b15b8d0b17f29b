package db

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"portico/model"
)

// addWebhook stores a webhook of the user for all events.
func addWebhook(t testing.TB, db *DB, user *model.User) *model.Webhook {
	t.Helper()
	webhook := &model.Webhook{
		ID: model.Token(), UserID: user.ID, URL: "https://example.com/", Sealed: []byte("s"), CreatedAt: model.Now(),
		Events: []model.WebhookEvent{
			model.WebhookJobEnded, model.WebhookSpacePublished, model.WebhookSpaceDeleted, model.WebhookEntityChanged,
		},
	}
	check(t, db.Webhooks().AddWebhook(t.Context(), webhook))
	return webhook
}

// events returns the events of a webhook, oldest first, one in each line.
func events(t testing.TB, db *DB, webhook *model.Webhook) string {
	t.Helper()
	page, err := db.Webhooks().WebhookDeliveries(t.Context(), webhook.ID, model.Page{Limit: 200})
	check(t, err)
	var lines []string
	for _, d := range page.Nodes {
		var body struct {
			Type model.WebhookEvent
			Data json.RawMessage
		}
		check(t, json.Unmarshal([]byte(d.Payload), &body))
		lines = append([]string{fmt.Sprintf("%s %s", body.Type, body.Data)}, lines...)
	}
	return strings.Join(lines, "\n")
}

func update(ctx context.Context, t testing.TB, db *DB, space *model.Space, privacy model.Privacy) {
	t.Helper()
	_, err := db.Spaces().UpdateSpace(ctx, model.UpdateSpace{SpaceID: space.ID, Privacy: &privacy})
	check(t, err)
}

// The events of changes come from what is recorded for the history, in its order.
func TestRecordVersions_adds_events_for_webhooks(t *testing.T) {
	t.Parallel()
	for _, limits := range []model.HistoryLimits{keepAll, {}} {
		t.Run(fmt.Sprint(limits.Versions), func(t *testing.T) {
			t.Parallel()
			db := testDB(t)
			user, stranger := addUser(t, db), addUser(t, db)
			space, other := addSpace(t, db, user, "hall"), addSpace(t, db, stranger, "other")
			webhook := addWebhook(t, db, user)
			ctx := asCaller(t, user, model.DoorREST)
			put(asCaller(t, stranger, model.DoorREST), t, db, other, "theirs", `{}`)
			put(ctx, t, db, space, "a", `{"n":1}`)
			put(ctx, t, db, space, "a", `{"n":2}`)
			put(ctx, t, db, space, "gone", `{}`)
			_, err := db.Entities().DeleteOwnedEntity(ctx, user.ID, space.ID, "gone")
			check(t, err)
			update(ctx, t, db, space, model.Public)
			put(ctx, t, db, space, "a", `{"n":3}`)
			update(ctx, t, db, space, model.Private)
			update(ctx, t, db, space, model.LinkOnly)
			record(t, db, limits)
			_, err = db.Entities().DeleteOwnedEntity(ctx, user.ID, space.ID, "a")
			check(t, err)
			update(ctx, t, db, space, model.Public)
			record(t, db, limits)
			record(t, db, limits)
			put(ctx, t, db, space, "late", `{}`) // goes with its space
			_, err = db.Spaces().DeleteSpace(ctx, space.ID)
			check(t, err)
			record(t, db, limits)
			want := strings.ReplaceAll(`entity.changed {"created": ["a"], "deleted": [], "spaceId": "S", "updated": []}
space.published {"title": "hall", "spaceId": "S"}
entity.changed {"created": [], "deleted": [], "spaceId": "S", "updated": ["a"]}
entity.changed {"created": [], "deleted": ["a"], "spaceId": "S", "updated": []}
space.published {"title": "hall", "spaceId": "S"}
space.deleted {"spaceId":"S","title":"hall"}`, `"S"`, `"`+space.ID+`"`)
			if got := events(t, db, webhook); got != want {
				t.Errorf("events: got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// A webhook gets what happens after its creation. What happened shortly before is recorded later.
func TestRecordVersions_adds_no_events_from_before_a_webhook(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	user := addUser(t, db)
	space := addSpace(t, db, user, "hall")
	ctx := asCaller(t, user, model.DoorREST)
	put(ctx, t, db, space, "before", `{}`)
	update(ctx, t, db, space, model.Public)
	webhook := addWebhook(t, db, user)
	if time.Since(webhook.CreatedAt.Time).Abs() > time.Minute {
		t.Errorf("created: got %v, want now", webhook.CreatedAt)
	}
	// As if the clock of the database had been set back since.
	_, err := db.idb.NewRaw("UPDATE webhooks SET created_at = now() + interval '5 minutes'").Exec(t.Context())
	check(t, err)
	record(t, db, keepAll)
	put(ctx, t, db, space, "after", `{}`)
	record(t, db, keepAll)
	want := `entity.changed {"created": ["after"], "deleted": [], "spaceId": "` + space.ID + `", "updated": []}`
	if got := events(t, db, webhook); got != want {
		t.Errorf("events: got\n%s\nwant\n%s", got, want)
	}
}

func TestRecordVersions_divides_long_events(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	user := addUser(t, db)
	space, webhook := addSpace(t, db, user, "hall"), addWebhook(t, db, user)
	ctx := asCaller(t, user, model.DoorREST)
	check(t, db.History().AsChangeSet(ctx, 0, func(tx *DB) error {
		var entities []*model.Entity
		for i := range 2*maxEventIDs + 1 {
			entities = append(entities, model.NewEntity(space.ID, fmt.Sprintf("many%d", i), model.TypeSimple, model.Object(`{}`)))
		}
		_, err := tx.Entities().ReplaceEntities(ctx, space.ID, entities)
		return err
	}))
	record(t, db, keepAll)
	all := events(t, db, webhook)
	if got := strings.Count(all, "entity.changed"); got != 3 {
		t.Errorf("events: got %d, want 3", got)
	}
	if got, want := strings.Count(all, "many"), 2*maxEventIDs+1; got != want {
		t.Errorf("entities: got %d, want %d", got, want)
	}
}

func TestJobs_that_end_are_events(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	user := addUser(t, db)
	webhook := addWebhook(t, db, user)
	job := addJob(t, db, user)
	for range 2 { // the second finds it ended
		_, err := db.Jobs().FailJob(t.Context(), job.ID, 0, model.JobCanceled)
		check(t, err)
	}
	got := events(t, db, webhook)
	if strings.Count(got, "job.ended") != 1 || !strings.Contains(got, `"status":"failed"`) || !strings.Contains(got, job.ID) {
		t.Errorf("events: got %s, want one of job %s, which failed", got, job.ID)
	}
}

// A disabled webhook gets no events, and a failure that lasts disables one.
func TestEndAttempt_disables_a_webhook_that_fails_for_too_long(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ctx := t.Context()
	user := addUser(t, db)
	webhook := addWebhook(t, db, user)
	failure := model.WebhookFailure{Reason: model.WebhookFailureStatus, Status: 500}
	fail := func(after time.Duration) {
		t.Helper()
		delivery, _, err := db.Webhooks().StartDelivery(ctx, webhook.ID, jobStream)
		check(t, err)
		result := DeliveryResult{Retry: time.Millisecond, Status: 500, Failure: &failure}
		check(t, db.Webhooks().EndAttempt(ctx, delivery, result, after))
		_, err = db.root.ExecContext(ctx, "UPDATE webhook_deliveries SET next_at = now()")
		check(t, err)
	}
	job := addJob(t, db, user)
	_, err := db.Jobs().FailJob(ctx, job.ID, 0, model.JobCanceled)
	check(t, err)
	fail(time.Hour)
	if got, err := db.Webhooks().Webhook(ctx, user.ID, webhook.ID); err != nil || !got.Enabled() || got.FailingSince == nil {
		t.Fatalf("after a failure: got %+v, %v, want it enabled and failing", got, err)
	}
	fail(0)
	got, err := db.Webhooks().Webhook(ctx, user.ID, webhook.ID)
	check(t, err)
	if got.Enabled() || got.DisabledCause != model.WebhookFailing || got.DisabledFailure == nil || *got.DisabledFailure != failure {
		t.Errorf("after a long failure: got %+v, want it disabled with %+v", got, failure)
	}
	log, err := db.Webhooks().WebhookDeliveries(ctx, webhook.ID, model.Page{Limit: 10})
	check(t, err)
	if last := log.Nodes[0].Failure; last == nil || last.Reason != model.WebhookFailureDisabled {
		t.Errorf("log: got %+v, want the event given up because the webhook is disabled", log.Nodes[0])
	}
	page, err := db.Notifications().Notifications(ctx, user.ID, model.Page{Limit: 10})
	check(t, err)
	if len(page.Nodes) != 1 || page.Nodes[0].Type != model.WebhookDisabled || page.Nodes[0].Text != webhook.URL {
		t.Errorf("notifications: got %+v, want one of the webhook", page.Nodes)
	}
	if n := number(t, db, "SELECT count(*) FROM webhook_deliveries WHERE ended_at IS NULL"); n != 0 {
		t.Errorf("deliveries that wait: got %d, want 0", n)
	}
	again := addJob(t, db, user)
	_, err = db.Jobs().FailJob(ctx, again.ID, 0, model.JobCanceled)
	check(t, err)
	if n := number(t, db, "SELECT count(*) FROM webhook_deliveries"); n != 1 {
		t.Errorf("deliveries: got %d, want the one from before", n)
	}
	enabled := true
	got, err = db.Webhooks().UpdateWebhook(ctx, user.ID, model.UpdateWebhook{WebhookID: webhook.ID, Enabled: &enabled})
	check(t, err)
	if !got.Enabled() || got.FailingSince != nil || got.DisabledReason() != "" || got.DisabledFailure != nil {
		t.Errorf("enabled again: got %+v, want it as new", got)
	}
}

// Streams of one account share the workers, and one job at a time sends a stream.
func TestEnqueueDeliveries_takes_turns(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ctx := t.Context()
	busy, quiet := addUser(t, db), addUser(t, db)
	many, one := addWebhook(t, db, busy), addWebhook(t, db, quiet)
	for range 2 * maxStreams {
		_, err := db.Webhooks().AddTestDelivery(ctx, many) // each is a stream
		check(t, err)
	}
	_, err := db.Webhooks().AddTestDelivery(ctx, one)
	check(t, err)
	for i, want := range []int{maxStreams + 1, 0} {
		got, err := db.Queue().EnqueueDeliveries(ctx, 100)
		check(t, err)
		if got != want {
			t.Errorf("look %d: got %d, want %d", i, got, want)
		}
	}
	_, err = db.root.ExecContext(ctx, "UPDATE river_job SET state = 'completed', finalized_at = now() WHERE kind = 'webhook'")
	check(t, err)
	_, err = db.root.ExecContext(ctx, "UPDATE webhook_deliveries SET ended_at = now() WHERE webhook_id = ?", one.ID)
	check(t, err)
	got, err := db.Queue().EnqueueDeliveries(ctx, 100)
	check(t, err)
	if got != maxStreams {
		t.Errorf("after the first ended: got %d, want %d", got, maxStreams)
	}
}

// The log is bounded, and events that wait must not fill the disk.
func TestWebhooks_are_bounded(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ctx := t.Context()
	user := addUser(t, db)
	webhook := addWebhook(t, db, user)
	for range model.MaxWebhooks - 1 {
		addWebhook(t, db, user)
	}
	err := db.Webhooks().AddWebhook(ctx, &model.Webhook{ID: "more", UserID: user.ID, URL: "https://example.com", Sealed: []byte("s")})
	checkCode(t, err, model.CodeInvalid)
	_, err = db.root.ExecContext(ctx, `INSERT INTO webhook_deliveries (webhook_id, stream, type, payload, ended_at)
		SELECT ?, 's', 'job.ended', '{}', now() FROM generate_series(1, ?)`, webhook.ID, maxDeliveryLog+50)
	check(t, err)
	_, err = db.Webhooks().AddTestDelivery(ctx, webhook)
	check(t, err)
	var stream string
	check(t, db.root.NewRaw("SELECT stream FROM webhook_deliveries WHERE type = 'webhook.test'").Scan(ctx, &stream))
	delivery, _, err := db.Webhooks().StartDelivery(ctx, webhook.ID, stream)
	check(t, err)
	check(t, db.Webhooks().EndAttempt(ctx, delivery, DeliveryResult{Delivered: true, Status: 204}, time.Hour))
	if got := number(t, db, "SELECT count(*) FROM webhook_deliveries"); got != maxDeliveryLog {
		t.Errorf("log: got %d deliveries, want %d", got, maxDeliveryLog)
	}
	_, err = db.root.ExecContext(ctx, "UPDATE webhook_deliveries SET ended_at = now() - interval '8 days' WHERE type = 'job.ended'")
	check(t, err)
	purged, err := db.Webhooks().PurgeDeliveries(ctx, 7*24*time.Hour, 5000)
	check(t, err)
	if purged != maxDeliveryLog-1 {
		t.Errorf("purged: got %d, want %d", purged, maxDeliveryLog-1)
	}
	_, err = db.root.ExecContext(ctx, `INSERT INTO webhook_deliveries (webhook_id, stream, type, payload)
		SELECT ?, 's', 'job.ended', '{}' FROM generate_series(1, ?)`, webhook.ID, maxWaiting+1)
	check(t, err)
	disabled, err := db.Webhooks().DisableFullWebhooks(ctx)
	check(t, err)
	if waiting := number(t, db, "SELECT count(*) FROM webhook_deliveries WHERE ended_at IS NULL"); disabled != 1 || waiting != 0 {
		t.Errorf("full: got %d disabled and %d that wait, want 1 and 0", disabled, waiting)
	}
	if got, err := db.Webhooks().Webhook(ctx, webhook.UserID, webhook.ID); err != nil || got.DisabledCause != model.WebhookFull {
		t.Errorf("webhook: got %+v, %v, want it disabled because it is full", got, err)
	}
}
