package graph

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"golang.org/x/sync/semaphore"

	"portico/db"
	"portico/model"
)

// broadcaster returns the broadcaster of a space that is followed, or nil.
func (w *world) broadcaster(space *model.Space) *spaceBroadcaster {
	w.broadcasters.mu.Lock()
	defer w.broadcasters.mu.Unlock()
	return w.broadcasters.byID[space.ID]
}

// stopped returns a channel that is closed when the broadcaster stops.
func (w *world) stopped(broadcaster *spaceBroadcaster) <-chan struct{} {
	w.broadcasters.mu.Lock() // held by the caller of stop
	defer w.broadcasters.mu.Unlock()
	closed, stop := make(chan struct{}), broadcaster.stop
	broadcaster.stop = func() {
		stop()
		close(closed)
	}
	return closed
}

// awaitLog waits until the log of the broadcaster has this many entries, and returns its bytes.
func (b *spaceBroadcaster) awaitLog(t *testing.T, entries int) (bytes int) {
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

// create creates an entity without data.
func (w *world) create(space *model.Space, id string) {
	w.t.Helper()
	_, err := w.put(model.CreateEntity{SpaceID: space.ID, EntityID: &id})
	check(w.t, err)
}

// One read is for all subscribers: they receive the same rows.
func TestSpaceBroadcaster_reads_once_for_all_subscribers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.open(w.alice, model.Public)
	var streams []<-chan model.SpaceEvent
	for i := range 20 {
		who := w.alice
		if i%2 == 0 {
			who = w.bob
		}
		events := w.watchSpace(t.Context(), who, space)
		expect(t, events, "snapshot")
		streams = append(streams, events)
	}
	equal(t, "subscriptions", w.OpenSubscriptions(), 20)
	w.create(space, "chair")
	first := expect(t, streams[0], "entity-created chair")
	for _, events := range streams[1:] {
		if got := expect(t, events, "entity-created chair"); got.entity != first.entity || got.space != first.space {
			t.Error("rows: got other ones than the first subscriber, want the same")
		}
	}
}

func TestSpaceBroadcaster_stops_with_its_last_subscriber(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.open(w.alice, model.Public)
	first, leaveFirst := context.WithCancel(t.Context())
	second, leaveSecond := context.WithCancel(t.Context())
	expect(t, w.watchSpace(first, w.alice, space), "snapshot")
	events := w.watchSpace(second, w.bob, space)
	expect(t, events, "snapshot")
	leaveFirst()
	w.create(space, "chair")
	expect(t, events, "entity-created chair")
	stopped := w.stopped(w.broadcaster(space))
	leaveSecond()
	receive(t, stopped)
	if broadcaster := w.broadcaster(space); broadcaster != nil {
		t.Error("broadcaster of a space without subscribers: got one, want none")
	}
	equal(t, "subscriptions", w.OpenSubscriptions(), 0)
	// The next subscriber starts a new one.
	expect(t, w.watchSpace(t.Context(), w.bob, space), "snapshot")
}

// A later subscriber starts with the state at that time. It gets none of the events before that,
// even if other subscribers have not received them yet.
func TestSpaceBroadcaster_starts_each_subscriber_from_now(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.open(w.alice, model.Public)
	expect(t, w.watchSpace(t.Context(), w.alice, space), "snapshot")
	for i := range 10 {
		id := fmt.Sprintf("e%d", i)
		w.create(space, id)
		_, err := w.Mutation().UpdateSpace(w.alice.ctx, model.UpdateSpace{SpaceID: space.ID, SpaceTextInput: model.SpaceTextInput{Title: &id}})
		check(t, err)
		ctx, leave := context.WithCancel(t.Context())
		events := w.watchSpace(ctx, w.bob, space)
		equal(t, "title", expect(t, events, "snapshot").space.Title, id)
		_, err = w.merge(space, id, `{"n":1}`)
		check(t, err)
		expect(t, events, "entity-changed "+id)
		leave()
	}
}

// The log keeps few states for a slow subscriber. The subscriber gets the others from the database,
// in the same order.
func TestSpaceBroadcaster_reads_again_what_its_log_dropped(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.makeRoom()
	space := w.open(w.alice, model.Public)
	events := w.watchSpace(t.Context(), w.bob, space)
	expect(t, events, "snapshot")
	data := func(i int) string { return fmt.Sprintf(`{"n":%d,"text":"%s"}`, i, strings.Repeat("x", 900_000)) }
	var want []string
	for i := range 10 {
		id := fmt.Sprintf("e%d", i)
		want = append(want, "entity-created "+id)
		_, err := w.put(model.CreateEntity{SpaceID: space.ID, EntityID: &id, Data: model.Object(data(i))})
		check(t, err)
	}
	if got := w.broadcaster(space).awaitLog(t, len(want)); got > maxLogBytes {
		t.Errorf("log: got %d bytes, want up to %d", got, maxLogBytes)
	}
	for i, line := range want {
		event := expect(t, events, line)
		var got struct{ N int }
		check(t, json.Unmarshal(event.entity.Data, &got))
		equal(t, "n", got.N, i)
	}
}

// The event of a creation has the newest state, so the subscriber skips the record of that state.
// If the entity changes again before, the record is gone, and the subscriber keeps nothing of it.
func TestSpaceSubscriber_forgets_what_it_need_not_skip(t *testing.T) {
	t.Parallel()
	space := &model.Space{ID: "alice_hall", Privacy: model.Public}
	broadcaster := &spaceBroadcaster{space: space, subscribers: map[*spaceSubscriber]struct{}{}}
	broadcaster.log.reset(nil)
	subscriber := &spaceSubscriber{broadcaster: broadcaster, started: true}
	broadcaster.subscribers[subscriber] = struct{}{}
	change := func(version string) {
		broadcaster.log.change(space, &db.VersionedEntity{Entity: model.Entity{EntityID: "chair"}, RowVersion: version})
		broadcaster.log.trim(broadcaster.passedByAll())
	}
	change("1")
	change("2")
	if event, _, _ := subscriber.poll(); event == nil || len(subscriber.known) != 1 {
		t.Fatalf("creation: got %v and %d entries to skip, want an event and 1", event, len(subscriber.known))
	}
	change("3")
	if event, _, _ := subscriber.poll(); event == nil || len(subscriber.known) != 0 {
		t.Errorf("change: got %v and %d entries to skip, want an event and none", event, len(subscriber.known))
	}
}

// A slow subscriber whose read failed receives the event after the outage, even if the space does
// not change again.
func TestSpaceSubscriber_reads_again_after_an_outage(t *testing.T) {
	t.Parallel()
	w, recorder := tracedWorld(t)
	w.makeRoom()
	space := w.open(w.alice, model.Public)
	ctx := recorded(t, recorder)
	subscriber := w.broadcasters.subscribe(ctx, w.Resolver, space.ID, model.CallerFrom(w.bob.ctx))
	subscriber.next(ctx) // the snapshot
	const entities = 10
	for i := range entities {
		id := fmt.Sprintf("e%d", i)
		_, err := w.put(model.CreateEntity{SpaceID: space.ID, EntityID: &id, Data: model.Object(`{"text":"` + strings.Repeat("x", 900_000) + `"}`)})
		check(t, err)
	}
	w.broadcaster(space).awaitLog(t, entities)
	_, missing, _ := subscriber.poll()
	for ; missing == nil; _, missing, _ = subscriber.poll() { // until an event that the log has dropped
	}
	w.exec("ALTER TABLE entities RENAME TO entities_away")
	recorder.Reset()
	received := make(chan *sharedEvent, 1)
	go func() { received <- subscriber.next(ctx) }()
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
func TestSpaceSubscriber_logs_that_its_read_fails(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.exec("ALTER TABLE entities RENAME TO entities_away")
	var log logBuffer
	r := &Resolver{db: w.db, logger: slog.New(slog.NewTextHandler(&log, nil)), readSlots: semaphore.NewWeighted(1)}
	space := &model.Space{ID: "alice_hall", Privacy: model.Public}
	broadcaster := &spaceBroadcaster{resolver: r, id: space.ID, space: space, changed: make(chan struct{})}
	broadcaster.log.reset(nil)
	broadcaster.log.change(space, &db.VersionedEntity{Entity: model.Entity{EntityID: "chair"}, RowVersion: "1"})
	broadcaster.log.dropState(broadcaster.log.entries["chair"])
	joined := make(chan struct{})
	close(joined)
	subscriber := &spaceSubscriber{broadcaster: broadcaster, joined: joined, started: true}
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	failed := log.await("read for a subscription failed")
	received := make(chan *sharedEvent, 1)
	go func() { received <- subscriber.next(ctx) }()
	receive(t, failed)
	leave()
	if event, _ := receive(t, received); event != nil {
		t.Errorf("event: got %+v, want none", event)
	}
	equal(t, "reads that fail after the subscriber has left", r.readFailures.failing, 0)
}
