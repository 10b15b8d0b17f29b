package db

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"
)

// announcer sends topics to Postgres behind the requests' backs: at once while
// there is little to tell, and together, each once, what comes while it sends.
// So a write costs no second round trip, and a thousand writes to one space a
// few notifications. What a killed process has not sent yet is found when the
// watchers read again.
type announcer struct {
	root *bun.DB
	log  *slog.Logger

	mu      sync.Mutex
	pending []Topic
	known   map[Topic]struct{} // those that are pending
	closed  bool

	wake chan struct{} // holds one signal while something is pending
	done chan struct{}
}

func newAnnouncer(root *bun.DB, log *slog.Logger) *announcer {
	return &announcer{
		root: root, log: log, known: map[Topic]struct{}{},
		wake: make(chan struct{}, 1), done: make(chan struct{}),
	}
}

// start begins to send.
func (a *announcer) start() { go a.run() }

// stop returns when all that was announced is sent, or could not be.
func (a *announcer) stop() {
	a.mu.Lock()
	if !a.closed {
		a.closed = true
		close(a.wake)
	}
	a.mu.Unlock()
	<-a.done
}

// add takes topics for sending. After stop it takes none.
func (a *announcer) add(topics []Topic) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return
	}
	for _, topic := range topics {
		if _, ok := a.known[topic]; !ok {
			a.known[topic] = struct{}{}
			a.pending = append(a.pending, topic)
		}
	}
	if len(a.pending) > 0 {
		nudge(a.wake)
	}
}

// take returns what is pending.
func (a *announcer) take() []Topic {
	a.mu.Lock()
	defer a.mu.Unlock()
	topics := a.pending
	a.pending = nil
	clear(a.known)
	return topics
}

// settle is the least time between two notifications: each one is a commit of its
// own, which would compete with those of the writes that it tells of.
const settle = 10 * time.Millisecond

func (a *announcer) run() {
	defer close(a.done)
	for range a.wake {
		a.send(a.take())
		time.Sleep(settle)
	}
	a.send(a.take())
}

// send notifies of all topics in one statement. Watchers read the rows now and
// then anyway, so a failure is only logged.
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
	_, err := a.root.ExecContext(ctx, `
		SELECT CASE WHEN starts_with(topic, ?) THEN
				pg_notify(current_schema() || '.river_insert', '{"queue":"' || replace(topic, ?, '') || '"}')
			ELSE pg_notify(?, topic) END
		FROM unnest(?::text[]) WITH ORDINALITY AS t (topic, place) ORDER BY place`,
		enqueuedPrefix, enqueuedPrefix, channel, pgdialect.Array(names))
	if err != nil {
		a.log.Warn("announce", "topics", len(topics), "error", err)
	}
}
