package db

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"portico/internal/background"
	"portico/model"
)

// announcer sends topics to Postgres in the background. It collects the topics that are added while
// it sends, each once, and sends them together. So a write needs no second round trip, and a
// thousand writes to one space cause only a few notifications. A killed process loses the topics
// that it has not sent, and the polls of the other processes find the changes. Announcing happens
// outside of the transaction of the write, because a transaction that called NOTIFY would take a
// lock that orders the commits of the whole database.
//
// One goroutine, run, sends. add may be called by any goroutine. mu guards pending and queued; it
// is never held while a statement runs.
type announcer struct {
	prepared *prepared
	sender   string // precedes each topic, so that the sender can ignore it
	log      *slog.Logger

	mu      sync.Mutex
	pending []Topic
	queued  map[Topic]struct{} // the topics in pending

	wake   chan struct{}    // contains one signal while topics are pending
	loop   background.Group // run
	outage background.OutageLog
}

func newAnnouncer(prepared *prepared, sender string, log *slog.Logger) *announcer {
	return &announcer{
		prepared: prepared, sender: sender, log: log, queued: map[Topic]struct{}{},
		wake: make(chan struct{}, 1),
	}
}

func (a *announcer) start() { a.loop.Go(a.run) }

// stop returns when every topic was sent or has failed.
func (a *announcer) stop() { a.loop.Stop() }

// add queues topics. Nothing sends the topics that are added after stop.
func (a *announcer) add(topics []Topic) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, topic := range topics {
		if _, ok := a.queued[topic]; !ok {
			a.queued[topic] = struct{}{}
			a.pending = append(a.pending, topic)
		}
	}
	if len(a.pending) > 0 {
		background.Signal(a.wake)
	}
}

// drain empties the queue and returns its topics.
func (a *announcer) drain() []Topic {
	a.mu.Lock()
	defer a.mu.Unlock()
	topics := a.pending
	a.pending = nil
	clear(a.queued)
	return topics
}

// minNotifyInterval is the minimum time between two notifications. Each is a commit, which
// competes with the commits of requests.
//
// Ten milliseconds are not noticed by a person who watches a page.
const minNotifyInterval = 10 * time.Millisecond

// run sends the pending topics at each signal, but not before minNotifyInterval has passed since the
// last notification. ctx ends with stop: then the wait ends too, and the topics that are still pending
// are sent last.
func (a *announcer) run(ctx context.Context) {
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-a.wake:
			a.send(a.drain())
			background.Pause(ctx, minNotifyInterval)
		}
	}
	a.send(a.drain())
}

// notify sends the topics in $4, one in each line, to the channel $2. Topics with the prefix $1 are
// sent to River's channel instead. The statement is prepared, because a busy server runs it a
// hundred times a second. current_schema() precedes River's channel, as River names it. The topics
// are sent in the order of their lines. set_config sets synchronous_commit for this transaction
// only: a poll finds what a lost notification announced, so the commit need not wait for the disk.
const notify = `
	SELECT set_config('synchronous_commit', 'off', true), CASE WHEN starts_with(topic, $1) THEN
			pg_notify(current_schema() || '.river_insert', '{"queue":"' || replace(topic, $1, '') || '"}')
		ELSE pg_notify($2, $3 || ' ' || topic) END
	FROM unnest(string_to_array($4, E'\n')) WITH ORDINALITY AS t (topic, place) ORDER BY place`

// send sends all topics in one statement, whose commit does not wait for the disk. A failure is
// only logged, once in an outage: polls find the changes.
func (a *announcer) send(topics []Topic) {
	if len(topics) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	names := make([]string, len(topics))
	for i, topic := range topics {
		names[i] = string(topic)
	}
	statement, err := a.prepared.statement(ctx, notify) //nolint:sqlclosecheck // the shared statement stays open
	if err == nil {
		_, err = statement.ExecContext(ctx, enqueuedPrefix, channel, a.sender, strings.Join(names, "\n"))
	}
	a.outage.Record(a.log, err, "announce changes", "changes are announced again")
}

// changeTimeWriter stores in the background when the entities of spaces last changed. In the
// transaction of the change, this would lock the row of the space, so that all writers of the space
// would wait for each other, and would update the indexes of the row each time. The first change is
// stored immediately. Later changes, of all spaces together, are stored within a second. Until then
// only this process knows their times, and a killed process loses them.
//
// One goroutine, run, writes. mu guards pending and stored, and is not held during a write.
type changeTimeWriter struct {
	root *bun.DB
	log  *slog.Logger

	mu      sync.Mutex
	pending map[string]model.Time   // by space; not stored yet
	stored  []map[string]model.Time // the last ones, for readers of an older row

	wake   chan struct{}    // holds one signal while something is pending
	loop   background.Group // run
	outage background.OutageLog
}

const (
	// writeInterval is the time between two writes.
	writeInterval = time.Second
	// keptWrites is the number of writes that are remembered.
	keptWrites = 5
)

func newChangeTimeWriter(root *bun.DB, log *slog.Logger) *changeTimeWriter {
	return &changeTimeWriter{
		root: root, log: log, pending: map[string]model.Time{},
		wake: make(chan struct{}, 1),
	}
}

func (w *changeTimeWriter) start() { w.loop.Go(w.run) }

// stop returns when everything was stored or has failed.
func (w *changeTimeWriter) stop() { w.loop.Stop() }

// add records that an entity of the space changed. Nothing stores what is added after stop.
func (w *changeTimeWriter) add(spaceID string, at model.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if at.After(w.pending[spaceID].Time) {
		w.pending[spaceID] = model.Time{Time: at.Truncate(time.Microsecond)} // as it is stored
	}
	background.Signal(w.wake)
}

// newest returns the newest time of the space that this process has written lately; zero
// for none.
func (w *changeTimeWriter) newest(spaceID string) model.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	newest := w.pending[spaceID]
	for _, times := range w.stored {
		if at := times[spaceID]; at.After(newest.Time) {
			newest = at
		}
	}
	return newest
}

// run stores what is pending at each signal, at most once in a writeInterval. ctx ends with stop:
// then it stores what is still pending.
func (w *changeTimeWriter) run(ctx context.Context) {
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-w.wake:
			w.store()
			background.Pause(ctx, writeInterval)
		}
	}
	w.store()
}

// store writes what is pending. What could not be written stays pending.
func (w *changeTimeWriter) store() {
	w.mu.Lock()
	times := w.pending
	w.pending = map[string]model.Time{}
	w.stored = append(w.stored, times)
	w.stored = slices.Clone(w.stored[max(0, len(w.stored)-keptWrites):])
	w.mu.Unlock()
	if len(times) == 0 {
		return
	}
	err := w.write(times)
	w.outage.Record(w.log.With("spaces", len(times)), err,
		"store the times at which spaces changed", "the times at which spaces changed are stored again")
	if err == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	again := maps.Clone(times)
	maps.Copy(again, w.pending) // newer
	w.pending = again
	background.Signal(w.wake)
}

// write updates the rows of the spaces, after it has locked them in the order of their ids, so that two
// processes do not wait for each other. The locks are a statement of their own: an update in the same
// statement would see the rows as they were before the locks, look for their newest versions, and wait
// for a transaction that waits for these locks.
//
// The condition on touched_at keeps a slow process from setting the time of a faster one back.
func (w *changeTimeWriter) write(times map[string]model.Time) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	ids, at := make([]string, 0, len(times)), make([]string, 0, len(times))
	for id, touched := range times {
		ids, at = append(ids, id), append(at, touched.UTC().Format(time.RFC3339Nano))
	}
	return w.root.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.ExecContext(ctx, "SELECT FROM spaces WHERE id = ANY(?::text[]) ORDER BY id FOR NO KEY UPDATE", pgdialect.Array(ids))
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `
			UPDATE spaces AS s SET touched_at = times.at FROM unnest(?::text[], ?::timestamptz[]) AS times (id, at)
			WHERE s.id = times.id AND s.touched_at < times.at`, pgdialect.Array(ids), pgdialect.Array(at))
		return err
	})
}

// announceChange announces a change of an entity of the space, and records when it was; inside
// InTx, after the commit.
func (db *DB) announceChange(spaceID string) {
	if db.afterCommit != nil {
		db.afterCommit.changedSpaces = append(db.afterCommit.changedSpaces, spaceID)
		return
	}
	db.changeTimes.add(spaceID, model.Now())
	db.Announce(SpaceTopic(spaceID))
}

// TouchedAt returns when the space or one of its entities last changed. A change by
// another process may be missing for a second.
func (db *DB) TouchedAt(space *model.Space) model.Time {
	if newest := db.changeTimes.newest(space.ID); newest.After(space.TouchedAt.Time) {
		return newest
	}
	return space.TouchedAt
}
