package main

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"
)

// perKey is the number of connections of each kind that a key opens, which is the
// server's limit for sockets.
const perKey = 50

// padding makes each change so large that a few of them fill the system's buffers of a
// connection that nobody reads.
const padding = 32 << 10

// promptly is the longest delay of a change for a subscriber who reads.
const promptly = 10 * time.Second

// attackWithReaders subscribes many readers to a space that changes quickly. They stop
// reading after the first message. A tenth of them reads again after the changes, and
// must then receive the current state; the server must drop the others. Readers who read
// all the time must receive changes in time.
func attackWithReaders(ctx context.Context, s *site) error {
	writer, space, err := s.attackerWithSpace(ctx, "Public")
	if err != nil {
		return err
	}
	if err := writer.putEntity(ctx, space, 0, ""); err != nil {
		return err
	}
	active, err := s.subscribeActive(ctx, space)
	if err != nil {
		return err
	}
	stalled, err := s.subscribeStalled(ctx, space)
	defer closeAll(stalled)
	if err != nil {
		return err
	}
	now, err := s.server.measure(ctx)
	if err != nil {
		return err
	}
	s.report.add("subscriptions that stop reading", float64(len(stalled)), "", 0)
	s.report.add("memory with all subscribed", now.resident, "MiB", 0)
	if err := s.change(ctx, writer, space, active); err != nil {
		return err
	}
	if err := s.catchUp(stalled[:max(2, len(stalled)/10)]); err != nil {
		return err
	}
	if s.scale.waitForTimeouts {
		if err := s.awaitDropped(ctx, writer, space, len(active)); err != nil {
			return err
		}
	}
	closeAll(active)
	return nil
}

// subscribeActive subscribes the readers who read all the time, over both transports.
func (s *site) subscribeActive(ctx context.Context, space string) ([]*subscription, error) {
	reader, err := s.world.newUser(ctx)
	if err != nil {
		return nil, err
	}
	var active []*subscription
	for range 2 {
		socket, err := openSocket(ctx, s.server, reader.key, space, false)
		if err != nil {
			return nil, err
		}
		stream, err := openStream(ctx, s.server, reader.key, space, false)
		if err != nil {
			return nil, err
		}
		active = append(active, socket, stream)
	}
	for _, reader := range active {
		go reader.follow()
	}
	return active, nil
}

// subscribeStalled subscribes the readers who stop reading, half of them over each
// transport.
func (s *site) subscribeStalled(ctx context.Context, space string) ([]*subscription, error) {
	keys, err := s.world.newUsers(ctx, (s.scale.subscriptions+perKey-1)/perKey)
	if err != nil {
		return nil, err
	}
	var stalled []*subscription
	for i := range s.scale.subscriptions {
		open := openSocket
		if i%2 == 1 {
			open = openStream
		}
		one, err := open(ctx, s.server, keys[i/perKey].key, space, true)
		if err != nil {
			return stalled, fmt.Errorf("subscription %d: %w", i, err)
		}
		stalled = append(stalled, one)
	}
	return stalled, nil
}

// change changes the space, and measures the delay until the readers receive each change.
func (s *site) change(ctx context.Context, writer *client, space string, active []*subscription) error {
	text := strings.Repeat("x", padding)
	written := make([]time.Time, s.scale.updates+1)
	start := time.Now()
	for revision := 1; revision <= s.scale.updates; revision++ {
		if err := writer.putEntity(ctx, space, revision, text); err != nil {
			return err
		}
		written[revision] = time.Now()
	}
	s.report.add("changes a second", float64(s.scale.updates)/time.Since(start).Seconds(), "", 0)
	var late time.Duration
	for _, reader := range active {
		seen, err := reader.await(ctx, s.scale.updates)
		if err != nil {
			return fmt.Errorf("a subscriber who reads: %w", err)
		}
		for revision, at := range written[1:] {
			late = max(late, seen[revision+1].Sub(at))
		}
	}
	s.report.add("subscribers who read: got it after at most", milliseconds(late), "ms", milliseconds(promptly))
	return nil
}

// catchUp reads again on the connections that were left unread.
func (s *site) catchUp(stalled []*subscription) error {
	var all sync.WaitGroup
	failed := make([]error, len(stalled))
	dropped := make([]bool, len(stalled))
	for i, reader := range stalled {
		all.Go(func() { dropped[i], failed[i] = reader.catchUp(s.scale.updates) })
	}
	all.Wait()
	count := 0
	for _, d := range dropped {
		if d {
			count++
		}
	}
	s.report.add("readers that resumed: got the newest", float64(len(stalled)-count), "", 0)
	s.report.add("readers that resumed: had been dropped", float64(count), "", 0)
	return firstError(failed)
}

// awaitDropped changes the space until the server has dropped all clients that do not
// read.
func (s *site) awaitDropped(ctx context.Context, writer *client, space string, reading int) error {
	start, text := time.Now(), strings.Repeat("x", padding)
	revision := s.scale.updates
	err := awaitCondition(ctx, 2*time.Minute, "readers that do not read are dropped", func() (bool, error) {
		revision++
		if err := writer.putEntity(ctx, space, revision, text); err != nil {
			return false, err
		}
		now, err := s.server.measure(ctx)
		return now.streams <= float64(reading), err
	})
	s.report.add("all others dropped after", time.Since(start).Seconds(), "s", 0)
	return err
}

func closeAll(all []*subscription) {
	for _, reader := range all {
		reader.close()
	}
}
