package main

import (
	"context"
	"errors"
	"time"
)

// From manyRuns on, which take minutes, the bucket is away for longOutage: longer
// than all attempts at a job would take.
const (
	manyRuns   = 20
	longOutage = 75 * time.Second
)

// runS3 publishes over a bucket that fails and is away for a while, and checks the
// store directly all the time.
func runS3(ctx context.Context, w *world, runs int) error {
	endpoint, err := w.openGateway(ctx)
	if err != nil {
		return err
	}
	proxy, before, err := w.openProxy(ctx, endpoint)
	if err != nil {
		return err
	}
	w.keepFilesAt(before)
	server, err := w.newServer(ctx, "server")
	if err != nil {
		return err
	}
	services := []*service{server, w.newWorker("worker1"), w.newWorker("worker2")}
	if err := startAll(ctx, services...); err != nil {
		return err
	}
	// A bucket that refuses six times in a row costs a response of 500.
	clients, err := w.addUsers(ctx, runs, server, false)
	if err != nil {
		return err
	}
	outage := func(ctx context.Context) error {
		if runs < manyRuns {
			return proxy.causeOutage(ctx, cutOff)
		}
		return proxy.causeOutage(ctx, longOutage)
	}
	var all []*published
	err = runDuring(ctx, w.watchStore, func(ctx context.Context) error {
		return runDuring(ctx, outage, func(ctx context.Context) error {
			all = publishMany(ctx, clients, runs)
			return nil
		})
	})
	if err != nil {
		return err
	}
	err = w.awaitIdle(ctx) // preparations fail too while the bucket is away
	proxy.stopFaults()
	for _, c := range clients {
		c.strict = true
	}
	return errors.Join(err, w.audit(ctx, clients, all, services...))
}

// watchStore checks the store until ctx ends: from the moment that a file is confirmed
// all of it must be there. The bytes at the address of an upload may be incomplete,
// because some servers keep a part of a broken request; such an upload is not confirmed
// but sent again.
func (w *world) watchStore(ctx context.Context) error {
	seen := map[string]int64{}
	for pause(ctx, 50*time.Millisecond) == nil {
		rows, err := w.rows(ctx) // first, because its files must still be stored afterwards
		if err != nil {
			return ignoreCanceled(ctx, err)
		}
		sizes, err := w.objects.sizes(ctx)
		if err != nil {
			return ignoreCanceled(ctx, err)
		}
		w.add("looks at the store", 1)
		for _, row := range rows {
			w.checkWhole(row, sizes)
		}
		for key, size := range sizes {
			if before, known := seen[key]; known && before != size {
				w.add("incomplete uploads sent again", 1)
			}
			seen[key] = size
		}
	}
	return nil
}
