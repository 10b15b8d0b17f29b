package graph_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"

	"portico/graph"
	"portico/graph/door"
	"portico/graph/presence"
	"portico/model"
)

// TestSpacePresence_costs measures a room of 50 visitors who all move 10 times a second, and
// who all stand still, for the numbers in docs/performance.md. PRESENCE_COST has the time of
// each, such as 10s; without it the test is skipped. The clients run in the same process, so
// the servers alone need less. With the address of a Redis in PRESENCE_REDIS, the visitors are
// divided between two servers.
func TestSpacePresence_costs(t *testing.T) {
	t.Parallel()
	period, err := time.ParseDuration(os.Getenv("PRESENCE_COST"))
	if err != nil {
		t.Skip("PRESENCE_COST is not set")
	}
	w := newWorld(t)
	servers := w.presenceServers(t, os.Getenv("PRESENCE_REDIS"))
	space := w.open(w.alice, model.Public)
	heap := usedHeap()
	var guests []guest
	var used traffic
	for i := range model.MaxVisitors {
		who := account{}
		if i%2 == 0 {
			who = w.bob // one address has half of the places
		}
		g := servers[i/2%len(servers)].enterBySocket(t, who, space, "Visitor")
		guests = append(guests, g)
		go used.read(t.Context(), g)
	}
	t.Logf("memory: %d KB for 50 sockets with their clients", (usedHeap()-heap)/1024)
	for _, moving := range []bool{true, false} {
		used.down.Store(0)
		used.up.Store(0)
		used.messages.Store(0)
		cpu, start := usedCPU(), time.Now()
		var group sync.WaitGroup
		for i, g := range guests {
			group.Go(func() {
				if err := used.move(t.Context(), g, i, moving, period); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		seconds := time.Since(start).Seconds()
		t.Logf("moving %v: %.0f bytes/s down and %.0f bytes/s up for each visitor, %.1f messages/s, %.1f %% of a core",
			moving, float64(used.down.Load())/50/seconds, float64(used.up.Load())/50/seconds, float64(used.messages.Load())/50/seconds,
			100*(usedCPU()-cpu).Seconds()/seconds)
	}
}

// traffic counts the bytes and the messages of all guests.
type traffic struct{ down, up, messages atomic.Int64 }

// read counts what a guest receives, until the guest leaves.
func (u *traffic) read(ctx context.Context, g guest) {
	for {
		_, message, err := g.Read(ctx)
		if err != nil {
			return
		}
		u.down.Add(int64(len(message)))
		u.messages.Add(1)
	}
}

// move moves guest i ten times a second for the period, or lets the guest stand still.
func (u *traffic) move(ctx context.Context, g guest, i int, moving bool, period time.Duration) error {
	interval := time.NewTicker(100 * time.Millisecond)
	defer interval.Stop()
	start := time.Now()
	for n := 0; time.Since(start) < period; n++ {
		if moving {
			body := costOfMove(g, n, float64(i)+float64(n%100)/100)
			u.up.Add(int64(len(body)))
			if err := g.Write(ctx, websocket.MessageText, []byte(body)); err != nil {
				return err
			}
		}
		<-interval.C
	}
	return nil
}

// presenceServers returns servers with the interval of the program: one, or two whose visitors see
// each other over a Redis.
func (w *world) presenceServers(t *testing.T, redisURL string) []*world {
	t.Helper()
	count := 1
	if redisURL != "" {
		count = 2
	}
	servers := make([]*world, count)
	for i := range servers {
		rooms, err := presence.New(presence.Options{Secret: []byte("a secret of the tests"), RedisURL: redisURL})
		check(t, err)
		t.Cleanup(func() { check(t, rooms.Close()) })
		one := *w
		one.Resolver = graph.New(graph.Options{DB: w.db, Store: w.store, Presence: rooms, Keys: w.keys, Logger: w.Logger(), Settings: w.options.Settings})
		one.server = httptest.NewServer(door.NewHandler(door.HandlerOptions{Resolver: one.Resolver, Keys: w.keys}))
		t.Cleanup(one.server.Close)
		servers[i] = &one
	}
	return servers
}

// costOfMove returns the message of a move as the page of a space sends it.
func costOfMove(g guest, n int, x float64) string {
	const document = `mutation($in:MoveInSpaceInput!){moveInSpace(input:$in){__typename}}`
	in := map[string]any{
		"spaceId": g.space, "visitorId": g.id, "ticket": g.ticket, "position": []float64{x, 1.6, -12.34}, "yaw": n % 360, "pitch": -5,
	}
	return fmt.Sprintf(`{"id":"%d","type":"subscribe","payload":%s}`, n, request(document, map[string]any{"in": in}))
}

func usedHeap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc + m.StackInuse
}

func usedCPU() time.Duration {
	var usage syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
