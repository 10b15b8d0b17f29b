package presence

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
)

const (
	// redisTimeout limits the wait for Redis, which a healthy network needs a hundredth of.
	redisTimeout = 250 * time.Millisecond
	// maxQueued is how many messages wait for Redis; above it the newest are dropped, and the
	// next full state makes up for them.
	maxQueued     = 1000
	channelPrefix = "portico:presence:"
)

// bus carries messages between the rooms of all processes over Redis. Nothing is stored
// there but who was removed.
type bus struct {
	rooms  *Rooms
	client *redis.Client
	events *redis.PubSub
	queue  chan queued
	log    *slog.Logger
	stop   context.CancelFunc
	tasks  sync.WaitGroup

	mu   sync.Mutex
	away bool
}

// queued is what waits for Redis.
type queued struct {
	spaceID string
	action  action
	message *message
}

// action is what to do with the channel of a space.
type action int

const (
	publish      action = iota
	openChannel         // subscribes; the message follows with the answer
	closeChannel        // unsubscribes, and publishes a last message
)

// newBus returns a bus that connects on first use.
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
	logging.Disable() // an outage is logged once, by setAway
	ctx, cancel := context.WithCancel(context.Background())
	client := redis.NewClient(o)
	b := &bus{
		rooms: rooms, client: client, events: client.Subscribe(ctx), queue: make(chan queued, maxQueued),
		log: rooms.options.Logger, stop: cancel,
	}
	b.tasks.Go(func() { b.send(ctx) })
	b.tasks.Go(func() { b.receive(ctx) })
	b.tasks.Go(func() { rooms.keepInTouch(ctx) })
	return b, nil
}

// put queues a message, and never waits.
func (b *bus) put(q queued) {
	if b == nil {
		return
	}
	select {
	case b.queue <- q:
	default:
	}
}

// send carries out what is queued, in order.
func (b *bus) send(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case q := <-b.queue:
			b.setAway(ctx, b.do(ctx, q))
		}
	}
}

func (b *bus) do(ctx context.Context, q queued) error {
	ctx, cancel := context.WithTimeout(ctx, redisTimeout)
	defer cancel()
	channel := channelPrefix + q.spaceID
	switch q.action {
	case openChannel:
		// PubSub subscribes again by itself after it has lost its connection.
		return b.events.Subscribe(ctx, channel)
	case closeChannel:
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

// receive hands messages to their rooms.
func (b *bus) receive(ctx context.Context) {
	// The channel is closed with the PubSub.
	for event := range b.events.ChannelWithSubscriptions() {
		switch event := event.(type) {
		case *redis.Subscription:
			// Also after a lost connection: meanwhile anything may have happened.
			if event.Kind == "subscribe" {
				b.rooms.introduce(event.Channel[len(channelPrefix):])
			}
		case *redis.Message:
			var m message
			if err := json.Unmarshal([]byte(event.Payload), &m); err == nil && m.From != b.rooms.process {
				b.rooms.receive(ctx, event.Channel[len(channelPrefix):], &m)
			}
		}
	}
}

// setAway logs when Redis stops answering, and when it answers again.
func (b *bus) setAway(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if away := err != nil; away != b.away {
		b.away = away
		if away {
			b.log.Warn("redis does not answer; visitors see the visitors of the same server only", "error", err)
		} else {
			b.log.Info("visitors see the visitors of all servers again")
		}
	}
}

// keepOut stores a removed account or address for all processes.
func (b *bus) keepOut(ctx context.Context, name string) {
	if b == nil || name == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), redisTimeout)
	defer cancel()
	b.setAway(ctx, b.client.Set(ctx, channelPrefix+"outside:"+name, 1, outsideTime).Err())
}

// isOutside reports whether any process has removed the account or address. Without an answer
// of Redis it reports false.
func (b *bus) isOutside(ctx context.Context, name string) bool {
	if b == nil || name == "" {
		return false
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), redisTimeout)
	defer cancel()
	found, err := b.client.Exists(ctx, channelPrefix+"outside:"+name).Result()
	b.setAway(ctx, err)
	return found > 0
}

// close ends the connections.
func (b *bus) close() error {
	if b == nil {
		return nil
	}
	b.stop()
	err := errors.Join(b.events.Close(), b.client.Close())
	b.tasks.Wait()
	return err
}
