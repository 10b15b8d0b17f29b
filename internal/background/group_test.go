package background

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"portico/internal/testkit/leak"
)

func TestMain(m *testing.M) { leak.Main(m) }

// untilDone is a loop that ends with its context.
func untilDone(ctx context.Context) { <-ctx.Done() }

func TestGroup_stops_without_start_twice_and_at_the_same_time(t *testing.T) {
	t.Parallel()
	var g Group
	g.Stop()
	g.Stop()
	if err := g.StopContext(t.Context()); err != nil {
		t.Errorf("StopContext: got %v, want nil", err)
	}
	var other Group
	other.Go(untilDone)
	var stops sync.WaitGroup
	for range 10 {
		stops.Go(other.Stop)
	}
	stops.Wait()
}

func TestGroup_starts_nothing_after_its_end(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(g *Group){
		"Cancel": (*Group).Cancel, "Stop": (*Group).Stop,
		"StopContext": func(g *Group) { _ = g.StopContext(t.Context()) },
	} {
		for _, used := range []bool{false, true} {
			var g Group
			if used {
				g.Go(untilDone)
			}
			end(&g)
			cancel, started := g.Go(func(context.Context) { t.Errorf("a goroutine starts after %s", name) })
			cancel()
			g.Stop()
			if started {
				t.Errorf("Go after %s: got true, want false", name)
			}
		}
	}
}

func TestGroup_waits_for_all_goroutines(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var g Group
		var ended atomic.Int32
		for i := range 3 {
			if _, started := g.Go(func(ctx context.Context) {
				<-ctx.Done()
				time.Sleep(time.Duration(i) * time.Second) // the last work of a loop
				ended.Add(1)
			}); !started {
				t.Error("Go: got false, want true")
			}
		}
		start := time.Now()
		g.Stop()
		if got, want := ended.Load(), int32(3); got != want {
			t.Errorf("ended when Stop returns: got %d, want %d", got, want)
		}
		if got, want := time.Since(start), 2*time.Second; got != want {
			t.Errorf("Stop: got %v, want %v", got, want)
		}
	})
}

func TestGroup_cancels_one_goroutine(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var g Group
		var ended atomic.Int32
		loop := func(ctx context.Context) {
			<-ctx.Done()
			ended.Add(1)
		}
		cancel, _ := g.Go(loop)
		g.Go(loop)
		cancel()
		synctest.Wait()
		if got, want := ended.Load(), int32(1); got != want {
			t.Errorf("ended after the cancel of one: got %d, want %d", got, want)
		}
		cancel()
		if _, started := g.Go(loop); !started {
			t.Error("Go after the cancel of one: got false, want true")
		}
		g.Stop()
		if got, want := ended.Load(), int32(3); got != want {
			t.Errorf("ended after Stop: got %d, want %d", got, want)
		}
	})
}

func TestGroup_cancels_without_waiting(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var g Group
		release := make(chan struct{})
		canceled := false
		g.Go(func(ctx context.Context) {
			<-ctx.Done()
			canceled = true
			<-release
		})
		g.Cancel()
		synctest.Wait()
		if !canceled {
			t.Error("the context of the goroutine has not ended")
		}
		close(release)
		g.Stop()
	})
}

func TestGroup_stops_waiting_when_the_context_ends(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var g Group
		release := make(chan struct{})
		g.Go(func(context.Context) { <-release })
		reason := errors.New("no more time")
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, reason)
		defer cancel()
		start := time.Now()
		if err := g.StopContext(ctx); !errors.Is(err, reason) {
			t.Errorf("StopContext: got %v, want %v", err, reason)
		}
		if got, want := time.Since(start), time.Second; got != want {
			t.Errorf("StopContext: returned after %v, want %v", got, want)
		}
		close(release)
		if err := g.StopContext(t.Context()); err != nil {
			t.Errorf("StopContext after the goroutine has ended: got %v, want nil", err)
		}
	})
}

// The race detector sees here that a start and a stop at the same time are ordered.
func TestGroup_starts_and_stops_at_the_same_time(t *testing.T) {
	t.Parallel()
	for range 200 {
		var g Group
		var running atomic.Int32
		var callers sync.WaitGroup
		for range 4 {
			callers.Go(func() {
				g.Go(func(ctx context.Context) {
					running.Add(1)
					defer running.Add(-1)
					<-ctx.Done()
				})
			})
			callers.Go(func() {
				g.Stop()
				if got := running.Load(); got != 0 {
					t.Errorf("running after Stop: got %d, want 0", got)
				}
			})
		}
		callers.Wait()
	}
}
