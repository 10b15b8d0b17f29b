package db

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"portico/db/dial"
	"portico/internal/testkit/leak"
	"portico/internal/testkit/postgres"
	"portico/model"
)

// announceElsewhere announces a topic as another process does.
func announceElsewhere(t testing.TB, db *DB, topic Topic) {
	t.Helper()
	_, err := db.root.ExecContext(t.Context(), "SELECT pg_notify(?, ?)", channel, "elsewhere "+string(topic))
	check(t, err)
}

// settled waits until the listener surely listens: what it announces arrives.
func settled(t testing.TB, db *DB) {
	t.Helper()
	ready := db.Watch(t.Context(), "ready")
	announceElsewhere(t, db, "ready")
	receive(t, ready, "the listener")
	for drained := false; !drained; {
		select {
		case <-ready:
		case <-time.After(2 * minBackoff):
			drained = true
		}
	}
}

// silent checks that nothing was announced to a watcher: what is announced to
// another afterwards arrives first.
func silent(t testing.TB, db *DB, watched <-chan struct{}, when string) {
	t.Helper()
	fence := db.Watch(t.Context(), "fence")
	db.Announce("fence")
	receive(t, fence, "the announcement after")
	select {
	case <-watched:
		t.Errorf("%s: got a signal, want none", when)
	default:
	}
}

func TestAnnounce_wakes_the_watchers_of_the_topic(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	settled(t, db)
	ctx := t.Context()
	watched := db.Watch(ctx, "mine", JobTopic("j"))
	db.Announce("other")
	silent(t, db, watched, "after another topic")
	db.Announce("mine")
	receive(t, watched, "mine")
	db.Announce(JobTopic("j"))
	receive(t, watched, "the job")
}

// A process signals its own watchers at once, and not again when Postgres sends it its own
// announcement. The other process gets it from Postgres.
func TestAnnounce_signals_its_own_process_once(t *testing.T) {
	t.Parallel()
	url := postgres.URL(t, migrateTest)
	here, there := openTest(t, Options{URL: url, Logger: quiet()}), openTest(t, Options{URL: url, Logger: quiet()})
	settled(t, here)
	settled(t, there)
	mine, other := here.Watch(t.Context(), "a"), there.Watch(t.Context(), "a")
	here.Announce("a")
	select {
	case <-mine:
	default:
		t.Error("signal of the process that announces: got none, want one at once")
	}
	receive(t, other, "the announcement")
	// Notifications arrive in the order of their commits.
	fence := here.Watch(t.Context(), "fence")
	announceElsewhere(t, here, "fence")
	receive(t, fence, "the announcement after")
	select {
	case <-mine:
		t.Error("signals for one announcement: got two, want one")
	default:
	}
}

func TestClose_sends_what_was_announced(t *testing.T) {
	t.Parallel()
	url := postgres.URL(t, migrateTest)
	db := openTest(t, Options{URL: url, Logger: quiet()})
	settled(t, db)
	watched := db.Watch(t.Context(), "last")
	closing, err := Open(t.Context(), Options{URL: url, Logger: quiet()})
	check(t, err)
	closing.Announce("last")
	check(t, closing.Close())
	receive(t, watched, "what was announced before Close")
	closing.Announce("late") // changes nothing, and does not panic
}

func TestAnnouncer_sends_each_topic_once(t *testing.T) {
	t.Parallel()
	a := newAnnouncer(nil, "", quiet())
	a.add([]Topic{"a", "b", "a"})
	a.add([]Topic{"b", "c"})
	if got, want := a.drain(), []Topic{"a", "b", "c"}; !slices.Equal(got, want) {
		t.Errorf("pending: got %v, want %v", got, want)
	}
	a.add([]Topic{"a"})
	if got, want := a.drain(), []Topic{"a"}; !slices.Equal(got, want) {
		t.Errorf("pending after it was taken: got %v, want %v", got, want)
	}
}

func TestAnnounce_in_a_transaction(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	settled(t, db)
	ctx := t.Context()
	watched := db.Watch(ctx, "a", "b")
	check(t, db.InTx(ctx, func(tx *DB) error {
		tx.Announce("a")
		check(t, tx.InTx(ctx, func(inner *DB) error { inner.Announce("b"); return nil }))
		silent(t, db, watched, "before the commit")
		return nil
	}))
	receive(t, watched, "the commit")
	silentAfter := db.Watch(ctx, "c")
	_ = db.InTx(ctx, func(tx *DB) error {
		tx.Announce("c")
		return errors.New("broken")
	})
	silent(t, db, silentAfter, "after a rollback")
}

func TestJobs_announce_each_change(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	settled(t, db)
	ctx := t.Context()
	job := addJob(t, db, addUser(t, db))
	watched := db.Watch(ctx, JobTopic(job.ID))
	for _, step := range []struct {
		name   string
		change func() error
	}{
		{"ClaimJob", func() error { _, err := db.Jobs().ClaimJob(ctx, job.ID); return err }},
		{"ReportJob", func() error {
			_, err := db.Jobs().ReportJob(ctx, job.ID, 1, 1, model.JobStep{Name: model.JobReadingZip})
			return err
		}},
		{"RequeueJob", func() error { _, err := db.Jobs().RequeueJob(ctx, job.ID, 1); return err }},
		{"ClaimJob again", func() error { _, err := db.Jobs().ClaimJob(ctx, job.ID); return err }},
		{"FailJob", func() error { _, err := db.Jobs().FailJob(ctx, job.ID, 2, "x"); return err }},
	} {
		check(t, step.change())
		receive(t, watched, step.name)
	}
	_, err := db.Jobs().ReportJob(ctx, job.ID, 1, 2, model.JobStep{Name: model.JobReadingZip})
	check(t, err)
	silent(t, db, watched, "after a report that was refused")
}

func TestWatch_makes_one_of_signals_that_nobody_took(t *testing.T) {
	t.Parallel()
	l := &listener{watchers: map[Topic]map[chan struct{}]struct{}{}}
	watched := l.watch(t.Context(), []Topic{"a", "b"})
	other := l.watch(t.Context(), []Topic{"b"})
	l.wake("a")
	l.wake("a")
	l.wake("b")
	l.wakeAll()
	if got, want := len(watched), 1; got != want {
		t.Errorf("signals: got %d, want %d", got, want)
	}
	if got, want := len(other), 1; got != want {
		t.Errorf("signals of the other: got %d, want %d", got, want)
	}
}

func TestWatch_is_forgotten_with_its_context(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := &listener{watchers: map[Topic]map[chan struct{}]struct{}{}}
		ctx, cancel := context.WithCancel(t.Context())
		for range 100 {
			l.watch(ctx, []Topic{"a", "b"})
		}
		kept := l.watch(t.Context(), []Topic{"b"})
		cancel()
		synctest.Wait()
		if topics, watchers := len(l.watchers), len(l.watchers["b"]); topics != 1 || watchers != 1 {
			t.Errorf("watchers: got %d topics and %d for b, want 1 and 1", topics, watchers)
		}
		l.wake("b")
		if got, want := len(kept), 1; got != want {
			t.Errorf("signals of the watcher that is left: got %d, want %d", got, want)
		}
	})
}

func TestWatch_wakes_after_the_connection_was_lost(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	settled(t, db)
	ctx := t.Context()
	watched := db.Watch(ctx, "a")
	killed := number(t, db, `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
		WHERE datname = current_database() AND query LIKE 'LISTEN%'`)
	if got, want := killed, 1; got != want {
		t.Fatalf("connections killed: got %d, want %d", got, want)
	}
	receive(t, watched, "the signal that something may have been missed")
	settled(t, db)
	silent(t, db, watched, "before the next announcement")
	announceElsewhere(t, db, "a")
	receive(t, watched, "an announcement on the new connection")
}

func TestEnqueue_wakes_River_after_the_commit(t *testing.T) {
	t.Parallel()
	url := postgres.URL(t, migrateTest)
	db := openTest(t, Options{URL: url, Logger: quiet()})
	pool, err := dial.OpenQueue(t.Context(), url, 1)
	check(t, err)
	defer pool.Close()
	conn, err := pool.Acquire(t.Context())
	check(t, err)
	defer conn.Release()
	_, err = conn.Exec(t.Context(), `LISTEN "public.river_insert"`)
	check(t, err)
	check(t, db.InTx(t.Context(), func(tx *DB) error { return tx.Queue().Enqueue(t.Context(), "j", "r") }))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	notification, err := conn.Conn().WaitForNotification(ctx)
	check(t, err)
	if got, want := notification.Payload, `{"queue":"default"}`; got != want {
		t.Errorf("payload: got %s, want %s", got, want)
	}
}

// Not parallel: the goroutines of other tests would be taken for leaks.
func TestClose_leaves_no_goroutine(t *testing.T) { //nolint:paralleltest // see above
	url := postgres.URL(t, migrateTest)
	before := goleak.IgnoreCurrent()
	db, err := Open(t.Context(), Options{URL: url, Logger: quiet()})
	check(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	watched := db.Watch(ctx, "a")
	db.Announce("a")
	receive(t, watched, "a")
	cancel()
	check(t, db.Close())
	leak.None(t, before)
}

func TestClose_while_there_is_no_database(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	settled(t, db)
	_, err := db.idb.ExecContext(t.Context(), "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
	check(t, err)
	closed := make(chan error, 1)
	go func() { closed <- db.Close() }()
	check(t, receive(t, closed, "Close"))
	db.listener.stop() // again, by the end of the test, changes nothing
}

// The owner of a loop need not know whether it has started.
func TestStop_without_start_returns(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	newListener(db.root, db.address, "sender", Options{Logger: quiet()}).stop()
	newAnnouncer(db.prepared, "sender", quiet()).stop()
	newChangeTimeWriter(db.root, quiet()).stop()
}
