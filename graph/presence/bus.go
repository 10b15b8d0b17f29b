package presence

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/url"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"

	"portico/internal/background"
)

const (
	// redisTimeout limits the wait for Redis. In a healthy network it answers a hundred times
	// faster.
	redisTimeout = 250 * time.Millisecond
	// maxQueued is the maximum number of actions that wait for Redis. More are dropped: the next full
	// state replaces a message, and repairChannels opens or closes a channel.
	maxQueued = 1000
	// maxQueuedBans is how many bans may wait beside them. Nothing repeats a ban.
	maxQueuedBans = 1000
	channelPrefix = "portico:presence:"
	banPrefix     = channelPrefix + "ban:"
)

// bus sends messages between the rooms of all processes over Redis. Redis stores only the bans. The
// methods of a nil bus do nothing, and report that nobody is banned.
type bus struct {
	rooms  *Rooms
	client *redis.Client
	events *redis.PubSub
	queue  chan queued
	open   map[string]bool // the spaces whose channels are open; only send uses it
	log    *slog.Logger
	sender background.Group // send, which uses the connections last
	loops  background.Group // receive and sendStates

	mu     sync.Mutex
	isDown bool
}

// queued is an action that waits for Redis.
type queued struct {
	spaceID string
	action  action
	message *message
	banKey  string // of storeBan
}

// action is what to do with the channel of a space.
type action int

const (
	publish        action = iota
	openChannel           // subscribes; receive publishes the state after Redis has confirmed it
	closeChannel          // unsubscribes, then publishes a last message
	repairChannels        // subscribes and unsubscribes where an earlier action was dropped
	storeBan              // stores a ban for all processes
)

// newBus returns a bus that connects on first use. The caller starts it.
func newBus(rooms *Rooms, address string) (*bus, error) {
	o, err := redis.ParseURL(address)
	if err != nil {
		if e, ok := errors.AsType[*url.Error](err); ok {
			err = e.Err // without the URL, which contains the password
		}
		return nil, fmt.Errorf("read the Redis URL: %w", err)
	}
	o.MaxRetries, o.DialerRetries = -1, 1
	o.DialTimeout, o.WriteTimeout, o.PoolTimeout = redisTimeout, redisTimeout, redisTimeout
	o.ContextTimeoutEnabled = true
	o.Protocol, o.DisableIdentity = 2, true
	logging.Disable() // an outage is logged once, by setDown
	client := redis.NewClient(o)
	return &bus{
		rooms: rooms, client: client, events: client.Subscribe(context.Background()), queue: make(chan queued, maxQueued+maxQueuedBans),
		open: map[string]bool{}, log: rooms.options.Logger,
	}, nil
}

// start starts the goroutines, which run until close.
func (b *bus) start() {
	b.sender.Go(b.send)
	b.loops.Go(b.receive)
	b.loops.Go(b.rooms.sendStates)
}

// enqueue queues an action, or drops it when the queue is full. It never blocks.
func (b *bus) enqueue(q queued) {
	if b == nil || (q.action != storeBan && len(b.queue) >= maxQueued) {
		return
	}
	select {
	case b.queue <- q:
	default:
	}
}

// send carries out the queued actions in order, until ctx ends and the rest is sent.
func (b *bus) send(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			b.sendRest(ctx)
			return
		case q := <-b.queue:
			b.setDown(ctx, b.execute(ctx, q))
		}
	}
}

// sendRest carries out the actions that are still queued, such as the last states of the rooms.
// Redis may be unavailable, so it starts none after redisTimeout.
func (b *bus) sendRest(ctx context.Context) {
	for end := time.Now().Add(redisTimeout); time.Now().Before(end); {
		select {
		case q := <-b.queue:
			_ = b.execute(ctx, q) // remoteTimeout repairs what is not sent
		default:
			return
		}
	}
}

// execute carries out an action. The end of ctx does not interrupt it: it may be the last state of
// a room.
func (b *bus) execute(ctx context.Context, q queued) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), redisTimeout)
	defer cancel()
	channel := channelPrefix + q.spaceID
	switch q.action {
	case openChannel:
		// PubSub subscribes again automatically after it has lost its connection, or has failed.
		b.open[q.spaceID] = true
		return b.events.Subscribe(ctx, channel)
	case repairChannels:
		return b.repair(ctx)
	case storeBan:
		return b.client.Set(ctx, banPrefix+q.banKey, 1, banDuration).Err()
	case closeChannel:
		delete(b.open, q.spaceID)
		if err := b.events.Unsubscribe(ctx, channel); err != nil {
			return err
		}
	case publish:
	}
	text, err := json.Marshal(q.message)
	if err != nil {
		return err
	}
	return b.client.Publish(ctx, channel, text).Err()
}

// repair opens the channels of the rooms, and closes all others.
func (b *bus) repair(ctx context.Context) error {
	dropped := maps.Clone(b.open)
	var missed []string
	for _, room := range b.rooms.all() {
		delete(dropped, room.id)
		if !b.open[room.id] {
			b.open[room.id] = true
			missed = append(missed, channelPrefix+room.id)
		}
	}
	var err error
	if len(missed) > 0 {
		err = b.events.Subscribe(ctx, missed...)
	}
	for spaceID := range dropped {
		delete(b.open, spaceID)
		err = errors.Join(err, b.events.Unsubscribe(ctx, channelPrefix+spaceID))
	}
	return err
}

// receive passes messages to their rooms, until close. It waits for no response of Redis, which
// would delay the messages of all rooms.
func (b *bus) receive(context.Context) {
	// The channel is closed with the PubSub.
	for event := range b.events.ChannelWithSubscriptions() {
		switch event := event.(type) {
		case *redis.Subscription:
			// This also happens after a lost connection, when messages may have been missed.
			if event.Kind == "subscribe" {
				b.rooms.exchangeStates(event.Channel[len(channelPrefix):])
			}
		case *redis.Message:
			var m message
			if err := json.Unmarshal([]byte(event.Payload), &m); err == nil && m.From != b.rooms.process {
				b.rooms.deliver(event.Channel[len(channelPrefix):], &m)
			}
		}
	}
}

// setDown logs when Redis stops answering, and when it answers again.
func (b *bus) setDown(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if isDown := err != nil; isDown != b.isDown {
		b.isDown = isDown
		if isDown {
			b.log.Warn("redis does not answer; visitors see the visitors of the same server only", "error", err)
		} else {
			b.log.Info("visitors see the visitors of all servers again")
		}
	}
}

// isBanned reports whether any process has stored a ban with this key. It returns false when Redis
// does not answer.
func (b *bus) isBanned(ctx context.Context, key string) bool {
	if b == nil || key == "" {
		return false
	}
	ctx = context.WithoutCancel(ctx)
	limited, cancel := context.WithTimeout(ctx, redisTimeout)
	defer cancel()
	found, err := b.client.Exists(limited, banPrefix+key).Result()
	b.setDown(ctx, err) // the end of limited is an outage
	return found > 0
}

// close sends what is queued, and then ends the connections.
func (b *bus) close() error {
	if b == nil {
		return nil
	}
	b.loops.Cancel()
	b.sender.Stop()
	err := errors.Join(b.events.Close(), b.client.Close()) // ends receive
	b.loops.Stop()
	return err
}
