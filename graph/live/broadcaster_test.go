package live

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"testing"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"golang.org/x/sync/semaphore"

	"portico/db"
	"portico/graph/access"
	"portico/internal/testkit/logs"
	"portico/model"
)

// broadcasterOf returns the broadcaster of a space that is followed, or nil.
func (w *world) broadcasterOf(space *model.Space) *broadcaster {
	w.spaces.mu.Lock()
	defer w.spaces.mu.Unlock()
	return w.spaces.byID[space.ID]
}

// stopped returns a channel that is closed when the broadcaster stops.
func (w *world) stopped(broadcaster *broadcaster) <-chan struct{} {
	w.spaces.mu.Lock() // held by the caller of stop
	defer w.spaces.mu.Unlock()
	closed, stop := make(chan struct{}), broadcaster.stop
	broadcaster.stop = func() {
		stop()
		close(closed)
	}
	return closed
}

// awaitLog waits until the log of the broadcaster has this many entries, and returns its bytes.
func (b *broadcaster) awaitLog(t *testing.T, entries int) (bytes int) {
	t.Helper()
	for {
		b.mu.Lock()
		got, bytes, changed := len(b.log.entries), b.log.bytes, b.changed
		b.mu.Unlock()
		if got == entries {
			return bytes
		}
		receive(t, changed)
	}
}

func TestBroadcaster_stops_with_its_last_subscriber(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.publicSpace()
	first, leaveFirst := context.WithCancel(t.Context())
	second, leaveSecond := context.WithCancel(t.Context())
	w.watchSpace(first, w.alice, space)
	events := w.watchSpace(second, w.bob, space)
	leaveFirst()
	w.create(space, "chair", "{}")
	created(t, events)
	stopped := w.stopped(w.broadcasterOf(space))
	leaveSecond()
	receive(t, stopped)
	if w.broadcasterOf(space) != nil {
		t.Error("broadcaster of a space without subscribers: got one, want none")
	}
	equal(t, "subscriptions", w.Open(), 0)
	// The next subscriber starts a new one.
	w.watchSpace(t.Context(), w.bob, space)
}

// The log keeps few states for a slow subscriber. The subscriber gets the others from the database,
// in the same order.
func TestBroadcaster_reads_again_what_its_log_dropped(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.publicSpace()
	events := w.watchSpace(t.Context(), w.bob, space)
	const entities = 10
	for i := range entities {
		w.create(space, fmt.Sprintf("e%d", i), text())
	}
	if got := w.broadcasterOf(space).awaitLog(t, entities+1); got > maxLogBytes {
		t.Errorf("log: got %d bytes, want up to %d", got, maxLogBytes)
	}
	for i := range entities {
		got := created(t, events)
		equal(t, "entity", got.EntityID, fmt.Sprintf("e%d", i))
		if string(got.Data) != text() {
			t.Errorf("data of %s: got %d bytes, want %d", got.EntityID, len(got.Data), len(text()))
		}
	}
}

// The event of a creation has the newest state, so the subscriber skips the record of that state.
// If the entity changes again before, the record is gone, and the subscriber keeps nothing of it.
func TestSubscriber_forgets_what_it_need_not_skip(t *testing.T) {
	t.Parallel()
	space := &model.Space{ID: "alice_hall", Privacy: model.Public}
	source := &broadcaster{space: space, subscribers: map[*subscriber]struct{}{}}
	source.log.reset(nil)
	follower := &subscriber{broadcaster: source, started: true}
	source.subscribers[follower] = struct{}{}
	change := func(version string) {
		source.log.change(space, &db.VersionedEntity{Entity: model.Entity{EntityID: "chair"}, RowVersion: version})
		source.log.trim(source.passedByAll())
	}
	change("1")
	change("2")
	if event, _, _ := follower.poll(); event == nil || len(follower.known) != 1 {
		t.Fatalf("creation: got %v and %d entries to skip, want an event and 1", event, len(follower.known))
	}
	change("3")
	if event, _, _ := follower.poll(); event == nil || len(follower.known) != 0 {
		t.Errorf("change: got %v and %d entries to skip, want an event and none", event, len(follower.known))
	}
}

// A slow subscriber whose read failed receives the event after the outage, even if the space does
// not change again.
func TestSubscriber_reads_again_after_an_outage(t *testing.T) {
	t.Parallel()
	w, recorder := tracedWorld(t)
	space := w.publicSpace()
	ctx := recorded(t, recorder)
	follower := w.spaces.subscribe(ctx, &w.engine, space.ID, access.Reader{Caller: &model.Caller{UserID: w.bob}})
	follower.Next(ctx) // the snapshot
	const entities = 10
	for i := range entities {
		w.create(space, fmt.Sprintf("e%d", i), text())
	}
	w.broadcasterOf(space).awaitLog(t, entities+1)
	_, missing, _ := follower.poll()
	for ; missing == nil; _, missing, _ = follower.poll() { // until an event that the log has dropped
	}
	w.exec("ALTER TABLE entities RENAME TO entities_away")
	recorder.Reset()
	received := make(chan *Event, 1)
	go func() { received <- follower.Next(ctx) }()
	eventually(t, "the subscriber has tried to read", func() bool {
		return slices.ContainsFunc(recorder.Ended(), func(span sdktrace.ReadOnlySpan) bool {
			return span.SpanContext().TraceID() == trace.SpanContextFromContext(ctx).TraceID()
		})
	})
	w.exec("ALTER TABLE entities_away RENAME TO entities")
	if event, _ := receive(t, received); event == nil {
		t.Error("got the end of the events, want an entity")
	}
}

// No other read may fail, so nothing else would show the outage.
func TestSubscriber_logs_that_its_read_fails(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.exec("ALTER TABLE entities RENAME TO entities_away")
	var log logs.Buffer
	e := &engine{db: w.db, log: slog.New(slog.NewTextHandler(&log, nil)), slots: semaphore.NewWeighted(1)}
	space := &model.Space{ID: "alice_hall", Privacy: model.Public}
	source := &broadcaster{engine: e, id: space.ID, space: space, changed: make(chan struct{})}
	source.log.reset(nil)
	source.log.change(space, &db.VersionedEntity{Entity: model.Entity{EntityID: "chair"}, RowVersion: "1"})
	source.log.dropState(source.log.entries["chair"])
	joined := make(chan struct{})
	close(joined)
	follower := &subscriber{broadcaster: source, joined: joined, started: true}
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	failed := log.Await("read for a subscription failed")
	received := make(chan *Event, 1)
	go func() { received <- follower.Next(ctx) }()
	receive(t, failed)
	leave()
	if event, _ := receive(t, received); event != nil {
		t.Errorf("event: got %+v, want none", event)
	}
	equal(t, "reads that fail after the subscriber has left", e.failures.failing, 0)
}
