package db

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/model"
)

// addPrepared adds a file of this size whose collision was queued this long ago.
func (q queue) addPrepared(user *model.User, bytes int64, ago time.Duration) string {
	q.Helper()
	file := model.NewFile(addUpload(q, q.db, user, bytes, time.Hour))
	check(q, q.db.Files().AddFile(q.Context(), file))
	check(q, q.db.Queue().EnqueueCollision(q.Context(), file.ResourceKey))
	q.exec("UPDATE river_job SET scheduled_at = now() - ?::interval WHERE args ->> 'resource_key' = ?", ago.String(), file.ResourceKey)
	return file.ResourceKey
}

// takeBest hands out the row of a kind that River would take, which runs since then.
func (q queue) takeBest(kind string, ago time.Duration) (argument string) {
	q.Helper()
	check(q, q.db.Queue().RankQueue(q.Context()))
	check(q, q.db.idb.NewRaw(`
		UPDATE river_job SET state = 'running', attempt = attempt + 1, attempted_at = now() - ?::interval WHERE id = (
			SELECT id FROM river_job WHERE state = 'available' AND kind = ?
			ORDER BY priority, scheduled_at, id LIMIT 1 FOR UPDATE SKIP LOCKED)
		RETURNING coalesce(args ->> 'resource_key', args ->> 'webhook_id')`, ago.String(), kind).Scan(q.Context(), &argument))
	return argument
}

// One account has many captures that take minutes each. The capture of another one, which comes
// last, is next, and so is the small one of the account itself.
func TestRankQueue_lets_accounts_take_turns(t *testing.T) {
	t.Parallel()
	q := queue{t, testDB(t)}
	ann, ben := addUser(t, q.db), addUser(t, q.db)
	names := map[string]string{}
	for i := range 12 {
		names[q.addPrepared(ann, large, time.Minute)] = fmt.Sprint("ann", i)
	}
	names[q.addPrepared(ann, 10, time.Second)] = "small"
	var order []string
	run := func() {
		key := q.takeBest(CollisionKind, 85*time.Second)
		order = append(order, names[key])
		q.exec("UPDATE river_job SET state = 'completed', finalized_at = now() WHERE args ->> 'resource_key' = ?", key)
	}
	run()
	names[q.addPrepared(ben, large, 0)] = "ben0"
	run()
	run()
	names[q.addPrepared(ben, large, 0)] = "ben1"
	run()
	if got := strings.Join(order, " "); got != "small ben0 ann0 ann1" && got != "small ben0 ann0 ben1" {
		t.Errorf("order: got %s, want ben before the large captures of ann", got)
	}
}

// As after a failover to a server whose clock is behind.
func TestRankQueue_goes_on_when_the_clock_goes_back(t *testing.T) {
	t.Parallel()
	q := queue{t, testDB(t)}
	ann := addUser(t, q.db)
	q.addPrepared(ann, large, -7*time.Minute)
	q.takeBest(CollisionKind, -7*time.Minute)
	next := q.addPrepared(ann, large, -7*time.Minute)
	check(t, q.db.Queue().RankQueue(t.Context()))
	if got := number(t, q.db, "SELECT count(*) FROM river_job WHERE state = 'available' AND scheduled_at <= now() AND priority BETWEEN 1 AND 4"); got != 1 {
		t.Errorf("rows that River takes now: got %d, want that of %s", got, next)
	}
}

// Twelve accounts have receivers that answer after 14 s. The event of another account is next.
func TestRankQueue_prefers_receivers_that_answer(t *testing.T) {
	t.Parallel()
	q := queue{t, testDB(t)}
	ctx := t.Context()
	var slow []string
	for range 12 {
		webhook := addWebhook(t, q.db, addUser(t, q.db))
		slow = append(slow, webhook.ID)
		for range maxStreams {
			_, err := q.db.Webhooks().AddTestDelivery(ctx, webhook)
			check(t, err)
		}
	}
	_, err := q.db.Queue().EnqueueDeliveries(ctx, 100)
	check(t, err)
	for range 12 {
		id := q.takeBest(WebhookKind, 14*time.Second)
		if !slices.Contains(slow, id) {
			t.Fatalf("took %q, want a slow receiver", id)
		}
	}
	fast := addWebhook(t, q.db, addUser(t, q.db))
	_, err = q.db.Webhooks().AddTestDelivery(ctx, fast)
	check(t, err)
	_, err = q.db.Queue().EnqueueDeliveries(ctx, 100)
	check(t, err)
	if got := q.takeBest(WebhookKind, 0); got != fast.ID {
		t.Error("the next one: got a slow receiver, want the one of the other account")
	}
}

// A heartbeat moves attempted_at, and the work of the account still counts from its start.
func TestExtendLease_keeps_the_start_of_the_attempt(t *testing.T) {
	t.Parallel()
	q := queue{t, testDB(t)}
	key := q.addPrepared(addUser(t, q.db), large, 0)
	q.takeBest(CollisionKind, time.Minute)
	var id int64
	check(t, q.db.idb.NewRaw("SELECT id FROM river_job WHERE args ->> 'resource_key' = ?", key).Scan(t.Context(), &id))
	for range 2 {
		check(t, q.db.Queue().ExtendLease(t.Context(), []int64{id}))
	}
	if got := number(t, q.db, "SELECT extract(epoch FROM now() - "+startOfAttempt+")::int FROM river_job AS r"); got < 60 {
		t.Errorf("the attempt runs for %d s, want a minute", got)
	}
}
