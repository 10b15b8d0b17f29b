package db

import (
	"context"
	"strings"
	"testing"
	"time"

	"portico/model"
)

// addEvent records an event about the account.
func addEvent(t *testing.T, db *DB, kind model.SecurityEventType, userID string) *model.SecurityEvent {
	t.Helper()
	event := model.NewSecurityEvent(t.Context(), kind, userID).WithSubject("subject", "title")
	check(t, db.Audit().AddSecurityEvent(t.Context(), event))
	return event
}

func TestSecurityEvents_are_the_account_s_newest_first(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	user, other := addUser(t, db), addUser(t, db)
	ctx := model.WithRequestID(t.Context(), "request")
	ctx = model.WithOrigin(ctx, model.Origin{Address: "2001:db8::1", Door: model.DoorPages})
	check(t, db.Audit().AddSecurityEvent(ctx, model.NewSecurityEvent(ctx, model.EventSignedIn, user.ID).WithMethod(model.ByPassword)))
	addEvent(t, db, model.EventKeyCreated, other.ID)
	addEvent(t, db, model.EventSpaceDeleted, user.ID)

	first, err := db.Audit().SecurityEvents(t.Context(), user.ID, model.Page{Limit: 1})
	check(t, err)
	if first.TotalCount != 3 || !first.PageInfo.HasNextPage || first.Nodes[0].Type != model.EventSpaceDeleted {
		t.Fatalf("first page: got %+v, want the deletion of three events", first)
	}
	if got := first.Nodes[0]; got.Subject != "subject" || got.Title != "title" || got.Door != "" || got.Address != "" {
		t.Errorf("deletion: got %+v, want subject and title alone", got)
	}
	second, err := db.Audit().SecurityEvents(t.Context(), user.ID, model.Page{Limit: 1, After: first.Nodes[0].Sequence})
	check(t, err)
	got := second.Nodes[0]
	if got.Method != "password" || got.Door != "pages" || got.Address != "2001:db8::1" || got.RequestID != "request" ||
		got.UserID != user.ID || time.Since(got.CreatedAt.Time).Abs() > time.Minute {
		t.Errorf("sign-in: got %+v, want how, where from and now", got)
	}
}

func TestAddSecurityEvent_cuts_long_and_odd_texts(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	long := strings.Repeat("é", 10_000)
	ctx := model.WithRequestID(t.Context(), long)
	ctx = model.WithOrigin(ctx, model.Origin{Address: long})
	event := model.NewSecurityEvent(ctx, model.EventSpaceDeleted, "12345678").WithSubject(long, "a\x00b\x1b[31m\xff\u009bc"+long).WithMethod(long)
	check(t, db.Audit().AddSecurityEvent(ctx, event))
	trail, err := db.Audit().AuditTrail(t.Context(), AuditFilter{}, 10)
	check(t, err)
	if got, want := trail[0].Title, "ab[31mc"+long[:2*193]; got != want {
		t.Errorf("title: got %q, want %q", got, want)
	}
	if got, want := len(trail[0].Subject), 2*400; got != want {
		t.Errorf("bytes of the subject: got %d, want %d", got, want)
	}
}

// An event is stored with its change or not at all.
func TestAddSecurityEvent_is_rolled_back_with_the_change(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	err := db.InTx(t.Context(), func(tx *DB) error {
		check(t, tx.Audit().AddSecurityEvent(t.Context(), model.NewSecurityEvent(t.Context(), model.EventKeyRevoked, "12345678")))
		return context.Canceled
	})
	if err == nil {
		t.Fatal("InTx: got no error, want the one of its function")
	}
	if got, want := number(t, db, "SELECT count(*) FROM audit_events"), 0; got != want {
		t.Errorf("events: got %d, want %d", got, want)
	}
}

func TestAddSecurityEvent_bounds_what_guessers_write(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	count := func() int {
		return number(t, db, "SELECT count(*) FROM audit_events WHERE created_at > now() - interval '1 day'")
	}
	// Yesterday's do not count.
	asAdmin(t, db, `INSERT INTO audit_events (id, user_id, type, created_at)
		SELECT n::text, '12345678', 'sign-in-failed', now() - interval '25 hours' FROM generate_series(1, ?) AS n`, maxFailures)
	for range maxFailures + 5 {
		addEvent(t, db, model.EventSignInFailed, "12345678")
		addEvent(t, db, model.EventSignInFailed, "")
	}
	if got, want := count(), 2*(maxFailures+1); got != want {
		t.Errorf("failures of a day, of an account and of nobody: got %d, want %d", got, want)
	}
	trail, err := db.Audit().SecurityEvents(t.Context(), "12345678", model.Page{Limit: 3})
	check(t, err)
	for i, want := range []model.SecurityEventReason{model.EventReasonLaterEventsDropped, "", ""} {
		if got := trail.Nodes[i]; got.Reason != want || got.Subject != "subject" || got.Title != "title" {
			t.Errorf("event %d from the last: got %+v, want the reason %q, the subject and the title", i, got, want)
		}
	}
	addEvent(t, db, model.EventSignInFailed, "87654321")
	addEvent(t, db, model.EventSignedIn, "12345678")
	if got, want := number(t, db, "SELECT count(*) FROM audit_events WHERE type = 'signed-in' OR user_id = '87654321'"), 2; got != want {
		t.Errorf("another's failure and a sign-in: got %d, want %d", got, want)
	}
}

func TestAuditTrail_filters(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	asAdmin(t, db, `INSERT INTO audit_events (id, user_id, type, created_at) VALUES
		('a', '11111111', 'signed-in', now() - interval '3 days'), ('b', NULL, 'sign-in-failed', now() - interval '1 day'),
		('c', '22222222', 'signed-in', now()), ('d', '11111111', 'key-shown', now())`)
	for _, test := range []struct {
		name   string
		filter AuditFilter
		limit  int
		want   string
	}{
		{"all", AuditFilter{}, 10, "a b c d"},
		{"of an account", AuditFilter{UserID: "11111111"}, 10, "a d"},
		{"of two days", AuditFilter{Since: time.Now().Add(-48 * time.Hour)}, 10, "b c d"},
		{"a page", AuditFilter{}, 2, "a b"},
		{"the next page", AuditFilter{After: 2}, 10, "c d"},
	} {
		events, err := db.Audit().AuditTrail(t.Context(), test.filter, test.limit)
		check(t, err)
		var ids []string
		for _, event := range events {
			ids = append(ids, event.ID)
		}
		if got := strings.Join(ids, " "); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

// An attacker who controls the application can add to the trail and read it, but not change
// it.
func TestAuditTrail_is_append_only_for_the_application(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	addEvent(t, db, model.EventSignedIn, "12345678")
	for _, statement := range []string{
		"UPDATE audit_events SET title = ''", "DELETE FROM audit_events", "TRUNCATE audit_events", "DROP TABLE audit_events",
	} {
		checkDenied(t, db, statement)
	}
	for _, keep := range []time.Duration{0, -time.Hour, time.Hour} {
		purged, err := db.Audit().PurgeAuditTrail(t.Context(), keep, 100)
		check(t, err)
		if got, want := purged, 0; got != want {
			t.Errorf("purged, to keep %v: got %d, want %d", keep, got, want)
		}
	}
	if got, want := number(t, db, "SELECT count(*) FROM audit_events"), 1; got != want {
		t.Errorf("events: got %d, want %d", got, want)
	}
}

func TestPurgeAuditTrail_deletes_old_events_in_batches(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	asAdmin(t, db, `INSERT INTO audit_events (id, type, created_at)
		SELECT n::text, 'signed-in', now() - n * interval '1 day' FROM generate_series(0, 9) AS n`)
	for _, want := range []int{3, 2, 0} {
		purged, err := db.Audit().PurgeAuditTrail(t.Context(), 108*time.Hour, 3)
		check(t, err)
		if purged != want {
			t.Errorf("purged: got %d, want %d", purged, want)
		}
	}
	trail, err := db.Audit().AuditTrail(t.Context(), AuditFilter{}, 100)
	check(t, err)
	if got, want := len(trail), 5; got != want {
		t.Errorf("events that are left: got %d, want %d", got, want)
	}
}

// The function runs with the owner's rights, so a table of the caller's with the
// name of the trail must not come in its way.
func TestPurgeAuditTrail_takes_no_table_of_the_caller_s(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	asAdmin(t, db, `DO $$ BEGIN EXECUTE format('GRANT TEMPORARY ON DATABASE %I TO portico_app', current_database()); END $$`)
	asAdmin(t, db, "INSERT INTO audit_events (id, type, created_at) VALUES ('a', 'signed-in', now() - interval '9 days')")
	check(t, db.InTx(t.Context(), func(tx *DB) error {
		_, err := tx.idb.ExecContext(t.Context(), "CREATE TEMPORARY TABLE audit_events (id text, created_at timestamptz)")
		check(t, err)
		purged, err := tx.Audit().PurgeAuditTrail(t.Context(), 48*time.Hour, 10)
		if purged != 1 {
			t.Errorf("purged: got %d, want the one of the trail", purged)
		}
		return err
	}))
}
