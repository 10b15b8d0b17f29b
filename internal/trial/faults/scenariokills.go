package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// The time between two kills: short enough that a kill meets most runs, and long enough
// that few jobs lose all of their four attempts.
const (
	minLife = 100 * time.Millisecond
	maxLife = 900 * time.Millisecond
)

// clientsAtOnce is the maximum number of concurrent clients.
const clientsAtOnce = 8

// runKills kills server and workers while clients publish, with files on the disk.
func runKills(ctx context.Context, w *world, runs int) error {
	server, err := w.newServer(ctx, "server")
	if err != nil {
		return err
	}
	services := []*service{w.newWorker("worker1"), w.newWorker("worker2"), server}
	if err := startAll(ctx, services...); err != nil {
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

// runKillsOverS3 does the same with files in a bucket.
func runKillsOverS3(ctx context.Context, w *world, runs int) error {
	endpoint, err := w.openGateway(ctx)
	if err != nil {
		return err
	}
	w.keepFilesAt(endpoint)
	return runKills(ctx, w, runs)
}

// publishUnderFire publishes while services are killed.
func (w *world) publishUnderFire(ctx context.Context, runs int, clients []*client, killed ...*service) (all []*published, err error) {
	err = runDuring(ctx,
		func(ctx context.Context) error { return w.killRepeatedly(ctx, minLife, maxLife, killed...) },
		func(ctx context.Context) error {
			all = publishMany(ctx, clients, runs)
			return nil
		})
	for _, s := range killed { // the last ones that were started
		err = errors.Join(err, s.awaitReady(ctx))
	}
	return all, err
}

// addUsers creates accounts for a number of runs, each with a client at the server.
func (w *world) addUsers(ctx context.Context, runs int, at *service, strict bool) ([]*client, error) {
	clients := make([]*client, min(clientsAtOnce, (runs+1)/2))
	for i := range clients {
		user, err := w.addUser(ctx, fmt.Sprint("publisher", i))
		if err != nil {
			return nil, err
		}
		clients[i] = user.at(at, strict)
	}
	return clients, nil
}
