package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// How often the reaper comes: often enough that most runs meet it, and seldom
// enough that few jobs lose all of their four tries to it.
const (
	leastLife = 100 * time.Millisecond
	mostLife  = 900 * time.Millisecond
)

// clientsAtOnce is how many clients publish at a time, at most.
const clientsAtOnce = 8

// playPublish kills server and workers while clients publish, over files on the
// disk.
func playPublish(ctx context.Context, w *world, runs int) error {
	server, err := w.newServer(ctx, "server")
	if err != nil {
		return err
	}
	services := []*service{w.newWorker("worker1"), w.newWorker("worker2"), server}
	if err := begin(ctx, services...); err != nil {
		return err
	}
	clients, err := w.addUsers(ctx, runs, server, true)
	if err != nil {
		return err
	}
	all, err := w.publishUnderFire(ctx, runs, clients, services...)
	if err != nil {
		return err
	}
	return w.audit(ctx, clients, all, services...)
}

// playPublishS3 does the same with files in a bucket.
func playPublishS3(ctx context.Context, w *world, runs int) error {
	endpoint, err := w.openGateway(ctx)
	if err != nil {
		return err
	}
	w.keepFilesAt(endpoint)
	return playPublish(ctx, w, runs)
}

// publishUnderFire publishes while services are killed.
func (w *world) publishUnderFire(ctx context.Context, runs int, clients []*client, killed ...*service) (all []*published, err error) {
	err = during(ctx,
		func(ctx context.Context) error { return w.reap(ctx, leastLife, mostLife, killed...) },
		func(ctx context.Context) error {
			all = publishMany(ctx, clients, runs)
			return nil
		})
	for _, s := range killed { // the last ones that were started
		err = errors.Join(err, s.await(ctx))
	}
	return all, err
}

// addUsers makes accounts for so many runs, each with a client at the server.
func (w *world) addUsers(ctx context.Context, runs int, at *service, calm bool) ([]*client, error) {
	clients := make([]*client, min(clientsAtOnce, (runs+1)/2))
	for i := range clients {
		user, err := w.addUser(ctx, fmt.Sprint("publisher", i))
		if err != nil {
			return nil, err
		}
		clients[i] = user.at(at, calm)
	}
	return clients, nil
}
