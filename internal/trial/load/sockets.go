package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"
)

// nameSockets selects the cost of subscribers to whom nothing happens, which has its own table.
const nameSockets = "sockets"

// maxSocketMemory is how much memory of the server an idle socket may take, in bytes.
const maxSocketMemory = 30 << 10

// idleTime is how long idle sockets are measured. The server looks again every five seconds at
// what an announcement could have missed.
const idleTime = 20 * time.Second

// settleTime is the wait before idle sockets are measured. A connection of Postgres that has become
// idle reports its last transactions after up to ten seconds (PGSTAT_IDLE_INTERVAL), so those that
// opened the sockets would count too.
const settleTime = 11 * time.Second

// idleSubscription waits for what does not come.
const idleSubscription = `{"query":"subscription { notifications { __typename } }"}`

// idleSockets returns the numbers of sockets that are measured.
func idleSockets() []int { return []int{1_000, 10_000} }

// socketsResult is the cost of idle sockets, each with one subscription.
type socketsResult struct {
	Sockets int `json:"sockets"`
	// Memory is the resident memory of the server that one socket takes, in bytes, with the
	// garbage that the collector leaves.
	Memory float64 `json:"memory_bytes"`
	// Server is the CPU time of one socket in a second.
	Server time.Duration `json:"server_ns_per_second"`
	// Transactions is the number of transactions in a second, for all sockets together.
	Transactions float64 `json:"transactions_per_second"`
}

// measureSockets measures all numbers of sockets, each against a process of its own.
func measureSockets(ctx context.Context, w *world, portico string) (all []socketsResult, err error) {
	keys, err := w.addSubscribers(ctx, idleSockets()[len(idleSockets())-1])
	if err != nil {
		return nil, err
	}
	for _, count := range idleSockets() {
		fmt.Fprintf(os.Stderr, "load: %d idle sockets\n", count)
		result, err := measureIdle(ctx, w, portico, keys, count)
		if err != nil {
			return nil, fmt.Errorf("%d idle sockets: %w", count, err)
		}
		all = append(all, result)
	}
	return all, nil
}

// measureIdle opens the sockets, and measures what they cost while nothing happens.
func measureIdle(ctx context.Context, w *world, portico string, keys []string, count int) (result socketsResult, err error) {
	child, err := startPortico(ctx, w, portico)
	if child != nil {
		defer child.stop()
	}
	if err != nil {
		return result, err
	}
	s := &server{world: w, title: nameSockets, child: child}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	pid := child.process.Cmd.Process.Pid
	empty, err := residentMemory(pid)
	if err != nil {
		return result, err
	}
	if err := s.openIdle(ctx, keys, count); err != nil {
		return result, err
	}
	if err := wait(ctx, settleTime); err != nil {
		return result, err
	}
	before, err := s.idleCosts(ctx)
	if err != nil {
		return result, err
	}
	if err := wait(ctx, idleTime); err != nil {
		return result, err
	}
	after, err := s.idleCosts(ctx)
	full, memoryErr := residentMemory(pid)
	return socketsResult{
		Sockets: count, Memory: float64(full-empty) / float64(count),
		Server:       (after.server - before.server) / time.Duration(count) / (idleTime / time.Second),
		Transactions: float64(after.transactions-before.transactions) / idleTime.Seconds(),
	}, errors.Join(err, memoryErr)
}

// wait waits for a time, or until ctx ends.
func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
	return ctx.Err()
}

// openIdle connects and subscribes all sockets, which stay open until ctx ends.
func (s *server) openIdle(ctx context.Context, keys []string, count int) error {
	var tasks sync.WaitGroup
	slots, results := make(chan struct{}, parallelConnects), make(chan error, count)
	for i := range count {
		slots <- struct{}{}
		tasks.Go(func() {
			_, err := openWebSocket(ctx, s.child.address, keys[i/subscribersPerAccount], idleSubscription)
			<-slots
			results <- err
		})
	}
	tasks.Wait()
	close(results)
	var all []error
	for err := range results {
		all = append(all, err)
	}
	return errors.Join(all...)
}

// idleCosts is what has been used so far.
type idleCosts struct {
	server       time.Duration
	transactions int64
}

// idleCosts returns the CPU time of the server and the number of transactions so far, in all
// databases of the cluster.
func (s *server) idleCosts(ctx context.Context) (c idleCosts, err error) {
	c.server, err = cpuOf(s.child.process.Cmd.Process.Pid)
	if err != nil {
		return c, err
	}
	return c, s.world.pool.QueryRow(ctx, "SELECT sum(xact_commit + xact_rollback)::bigint FROM pg_stat_database").Scan(&c.transactions)
}

// writeSockets writes the table of idle sockets.
func writeSockets(b *strings.Builder, all results) {
	if len(all.Sockets) == 0 {
		return
	}
	b.WriteString("\nIdle sockets, each with a subscription to notifications\n\n")
	fmt.Fprintf(b, "| sockets | memory of one, KiB, at most %d | CPU of one, us/s | transactions/s, of all |\n| ---: | ---: | ---: | ---: |\n", maxSocketMemory>>10)
	for _, r := range all.Sockets {
		memory := fmt.Sprintf("%.1f", r.Memory/(1<<10))
		if r.Memory > maxSocketMemory {
			memory = "**" + memory + "**"
		}
		fmt.Fprintf(b, "| %d | %s | %.0f | %.0f |\n", r.Sockets, memory, float64(r.Server)/float64(time.Microsecond), r.Transactions)
	}
}
