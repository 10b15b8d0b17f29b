package db

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/driver/pgdriver"
)

// Topic names what changed: JobTopic and the like. A topic carries no state;
// who hears it reads the row again.
type Topic string

// JobTopic is announced when the job changes.
func JobTopic(id string) Topic { return Topic("job:" + id) }

// JobsTopic is announced when a job of the user changes.
func JobsTopic(userID string) Topic { return Topic("jobs:" + userID) }

// SpaceTopic is announced when the space or one of its entities changes.
func SpaceTopic(id string) Topic { return Topic("space:" + id) }

// UserTopic is announced when the user has a new notification.
func UserTopic(id string) Topic { return Topic("user:" + id) }

// channel is the one Postgres channel that all topics share.
const channel = "portico"

// Announce tells every process that the topics changed, after the commit when
// called inside InTx, and does not wait until they are told. NOTIFY takes a lock
// over all of the database's commits when it stands in the transaction of a
// write, so it never does.
func (db *DB) Announce(topics ...Topic) {
	if db.topics != nil {
		*db.topics = append(*db.topics, topics...)
		return
	}
	db.announcer.add(topics)
}

// Watch returns a channel that receives when one of the topics may have
// changed: at each announcement, and after the connection to Postgres was lost,
// when announcements may have been missed. Signals that nobody took are one.
// It is forgotten with ctx, and never closed.
func (db *DB) Watch(ctx context.Context, topics ...Topic) <-chan struct{} {
	return db.listener.watch(ctx, topics)
}

// listener spreads Postgres' notifications over the watchers of this process.
type listener struct {
	conn   *pgdriver.Listener
	log    *slog.Logger
	cancel context.CancelFunc
	done   chan struct{}

	mu       sync.Mutex
	watchers map[Topic]map[chan struct{}]struct{}
}

func newListener(root *bun.DB, log *slog.Logger) *listener {
	return &listener{
		conn: pgdriver.NewListener(root), log: log, done: make(chan struct{}),
		watchers: map[Topic]map[chan struct{}]struct{}{},
	}
}

func (l *listener) start() {
	ctx, cancel := context.WithCancel(context.Background())
	l.cancel = cancel
	go l.run(ctx)
}

// stop returns when the listener has stopped.
func (l *listener) stop() {
	l.cancel()
	_ = l.conn.Close() // ends the read below; it has nothing to lose
	<-l.done
}

// The pauses before another try to listen: short for a connection that was cut,
// longer while there is no database.
const (
	firstPause = 100 * time.Millisecond
	mostPause  = 5 * time.Second
)

// run receives until it is stopped. Failures are logged with longer and longer
// pauses, until listening works again.
func (l *listener) run(ctx context.Context) {
	defer close(l.done)
	wait := firstPause
	for ctx.Err() == nil {
		listened, err := l.receive(ctx)
		if ctx.Err() != nil {
			return
		}
		if listened {
			wait = firstPause
		}
		l.log.Warn("lost the connection for notifications", "error", err)
		pause(ctx, wait)
		wait = min(2*wait, mostPause)
	}
}

// receive listens until the connection fails, and reports whether it began to.
// Everybody is woken then, since announcements may have been missed before.
// LISTEN is repeated when nothing came for a while: a dead connection shows
// itself then.
func (l *listener) receive(ctx context.Context) (listened bool, err error) {
	const settle, quiet = 250 * time.Millisecond, 10 * time.Second
	if err := l.conn.Listen(ctx, channel); err != nil {
		return false, err
	}
	// LISTEN was sent and not answered yet: this waits for what proves that it
	// works, or for long enough.
	wait := settle
	for {
		_, payload, err := l.conn.ReceiveTimeout(ctx, wait)
		switch {
		case err == nil:
			l.wake(Topic(payload))
		case isTimeout(err):
			if err := l.conn.Listen(ctx, channel); err != nil {
				return true, err
			}
		default:
			return true, err
		}
		if wait == settle {
			l.wakeAll()
			wait = quiet
		}
	}
}

func isTimeout(err error) bool {
	network, ok := errors.AsType[net.Error](err)
	return ok && network.Timeout()
}

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
		nudge(signal)
	}
}

func (l *listener) wakeAll() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, watchers := range l.watchers {
		for signal := range watchers {
			nudge(signal)
		}
	}
}

// nudge leaves one signal for a watcher that has not taken the last one.
func nudge(signal chan struct{}) {
	select {
	case signal <- struct{}{}:
	default:
	}
}

// pause waits, or returns early with ctx.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
