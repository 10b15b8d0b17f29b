package db

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/uptrace/bun"

	"portico/db/dial"
	"portico/internal/background"
)

// Topic names an object that changed, such as a job. It carries no state: a watcher reads
// the row again.
//
// The form is kind:id, at most a few dozen bytes; Postgres allows 8,000 in a notification. A topic
// must contain no line break, because the announcer separates topics by it.
type Topic string

// The kinds of topics. A poll finds lost announcements of these (versionOf).
const (
	jobKind    = "job"
	jobsKind   = "jobs"
	spaceKind  = "space"
	filesKind  = "files"
	spacesKind = "spaces"
	userKind   = "user"
)

func topicOf(kind, id string) Topic { return Topic(kind + ":" + id) }

// JobTopic is announced when the job changes.
func JobTopic(id string) Topic { return topicOf(jobKind, id) }

// JobsTopic is announced when a job of the user changes.
func JobsTopic(userID string) Topic { return topicOf(jobsKind, userID) }

// SpaceTopic is announced when the space or one of its entities changes.
func SpaceTopic(id string) Topic { return topicOf(spaceKind, id) }

// FilesTopic is announced when a file of the user is added, changes or is deleted.
func FilesTopic(userID string) Topic { return topicOf(filesKind, userID) }

// SpacesTopic is announced when a space of the user is added, changes or is deleted. Its
// entities and its visits do not count.
func SpacesTopic(userID string) Topic { return topicOf(spacesKind, userID) }

// UserTopic is announced when the user has a new notification.
func UserTopic(id string) Topic { return topicOf(userKind, id) }

// TopicRevoked is announced when a key is revoked, or a session ends.
const TopicRevoked Topic = "revoked"

// channel is the Postgres channel of all topics.
const channel = "portico"

// Announce notifies every process that the topics changed; inside InTx, after the
// commit. The watchers of this process have their signal when it returns, the watchers of
// other processes later. NOTIFY within the transaction of the write would serialise all commits of
// the database, so it is sent separately.
func (db *DB) Announce(topics ...Topic) {
	if db.afterCommit != nil {
		db.afterCommit.topics = append(db.afterCommit.topics, topics...)
		return
	}
	for _, topic := range topics {
		db.listener.wake(topic)
	}
	db.announcer.add(topics)
}

// Watch returns a channel that receives a signal when one of the topics may have changed:
// at each announcement, after a lost connection, because announcements may have been
// missed, and when a poll finds a change that was not announced. A new topic gets a signal
// at the next poll. Signals that nobody has received merge into one. The watch ends
// with ctx; the channel is never closed.
func (db *DB) Watch(ctx context.Context, topics ...Topic) <-chan struct{} {
	return db.listener.watch(ctx, topics)
}

// Listens reports whether announcements of other processes arrive. When they arrive again, every
// watcher gets its signal before Listens reports it.
func (db *DB) Listens() bool { return db.listener.listens.Load() }

// listener distributes the notifications of Postgres to the watchers of this process.
//
// It has a connection of its own beside the pool, of pgx, because pgdriver sends LISTEN and does not
// wait for its response. Only the goroutine of run uses it. mu guards watchers.
type listener struct {
	address *dial.Address
	poller  *poller
	sender  string // marks announcements of this process, which receive skips: Announce has woken its watchers
	log     *slog.Logger
	loops   background.Group // run, and the run of the poller
	outage  background.OutageLog
	listens atomic.Bool // while notifications arrive

	mu       sync.Mutex
	watchers map[Topic]map[chan struct{}]struct{}
}

func newListener(root *bun.DB, a *dial.Address, sender string, o Options) *listener {
	l := &listener{
		address: a, sender: sender, log: o.Logger,
		watchers: map[Topic]map[chan struct{}]struct{}{},
	}
	l.poller = newPoller(root, l, o)
	return l
}

func (l *listener) start() {
	l.loops.Go(l.run)
	l.loops.Go(l.poller.run)
}

// stop returns when the listener and its poller have stopped.
func (l *listener) stop() { l.loops.Stop() }

// The backoff before listening again: short for a connection that was cut, longer while
// the database is down.
//
// Many replicas lose their connections together when Postgres restarts. They come back within five
// seconds, with one attempt each at a time, and not all at once: a delay is up to a half longer or
// shorter.
const (
	minBackoff = 100 * time.Millisecond
	maxBackoff = 3 * time.Second
)

// run receives notifications until stop. After a failure it tries again after a growing delay.
func (l *listener) run(ctx context.Context) {
	delays := &backoff.ExponentialBackOff{
		InitialInterval: minBackoff, MaxInterval: maxBackoff, Multiplier: 2, RandomizationFactor: backoff.DefaultRandomizationFactor,
	}
	for ctx.Err() == nil {
		listened, err := l.receive(ctx)
		if ctx.Err() != nil {
			return
		}
		if listened {
			delays.Reset()
		}
		l.record(err)
		background.Pause(ctx, delays.NextBackOff())
	}
}

// record records that the connection was lost, or works if err is nil.
func (l *listener) record(err error) {
	l.outage.Record(l.log, err, "lost the connection for notifications", "the connection for notifications works again")
}

// receive listens until the connection fails, and reports whether LISTEN succeeded. A standby, for
// example, accepts the connection and refuses LISTEN. When LISTEN has succeeded, receive wakes
// every watcher, since announcements may have been missed before.
func (l *listener) receive(ctx context.Context) (listened bool, err error) {
	defer l.listens.Store(false)
	err = l.address.Listen(ctx, channel, func() {
		listened = true
		l.record(nil)
		l.wakeAll()
		l.listens.Store(true)
	}, func(payload string) {
		if sender, topic, ok := strings.Cut(payload, " "); ok && sender != l.sender {
			l.wake(Topic(topic))
		}
	})
	return listened, err
}

// watch adds a watcher of the topics. forget removes it when ctx ends, so a caller that never
// receives costs a channel until then.
func (l *listener) watch(ctx context.Context, topics []Topic) <-chan struct{} {
	signal := make(chan struct{}, 1)
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, topic := range topics {
		if l.watchers[topic] == nil {
			l.watchers[topic] = map[chan struct{}]struct{}{}
		}
		l.watchers[topic][signal] = struct{}{}
	}
	context.AfterFunc(ctx, func() { l.forget(signal, topics) })
	return signal
}

func (l *listener) forget(signal chan struct{}, topics []Topic) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, topic := range topics {
		delete(l.watchers[topic], signal)
		if len(l.watchers[topic]) == 0 {
			delete(l.watchers, topic)
		}
	}
}

func (l *listener) wake(topic Topic) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for signal := range l.watchers[topic] {
		background.Signal(signal)
	}
}

func (l *listener) wakeAll() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, watchers := range l.watchers {
		for signal := range watchers {
			background.Signal(signal)
		}
	}
}
