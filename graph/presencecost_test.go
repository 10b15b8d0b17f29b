package graph

import (
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
	var down, messages atomic.Int64
	for i := range model.MaxVisitors {
		who := account{}
		if i%2 == 0 {
			who = w.bob // one address has half of the places
		}
		g := servers[i/2%len(servers)].enterBySocket(t, who, space, "Visitor")
		guests = append(guests, g)
		go func() {
			for {
				_, message, err := g.Read(t.Context())
				if err != nil {
					return
				}
				down.Add(int64(len(message)))
				messages.Add(1)
			}
		}()
	}
	t.Logf("memory: %d KB for 50 sockets with their clients", (usedHeap()-heap)/1024)
	for _, moving := range []bool{true, false} {
		down.Store(0)
		messages.Store(0)
		cpu, start := usedCPU(), time.Now()
		var up atomic.Int64
		var group sync.WaitGroup
		for i, g := range guests {
			group.Go(func() {
				interval := time.NewTicker(100 * time.Millisecond)
				defer interval.Stop()
				for n := 0; time.Since(start) < period; n++ {
					if moving {
						body := costOfMove(g, n, float64(i)+float64(n%100)/100)
						up.Add(int64(len(body)))
						if err := g.Write(t.Context(), websocket.MessageText, []byte(body)); err != nil {
							t.Error(err)
							return
						}
					}
					<-interval.C
				}
			})
		}
		group.Wait()
		seconds := time.Since(start).Seconds()
		t.Logf("moving %v: %.0f bytes/s down and %.0f bytes/s up for each visitor, %.1f messages/s, %.1f %% of a core",
			moving, float64(down.Load())/50/seconds, float64(up.Load())/50/seconds, float64(messages.Load())/50/seconds,
			100*(usedCPU()-cpu).Seconds()/seconds)
	}
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
		one.Resolver = &Resolver{DB: w.DB, Store: w.Store, Presence: rooms, Keys: w.Keys, Logger: w.Logger, Settings: w.Settings}
		one.server = httptest.NewServer(NewHandler(HandlerOptions{Resolver: one.Resolver, Keys: w.keys}))
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
