package db

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"

	"portico/internal/background"
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
