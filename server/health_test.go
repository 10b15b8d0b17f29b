package server

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestReadiness_probes_at_most_once_a_second(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var checked readiness
		probes, result := 0, ""
		probe := func() string {
			probes++
			time.Sleep(100 * time.Millisecond) // of the bubble's clock
			return result
		}
		ask := func(want string) {
			t.Helper()
			if got, err := checked.check(t.Context(), probe); got != want || err != nil {
				t.Errorf("answer: got %q, %v, want %q", got, err, want)
			}
		}
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() { ask("") })
		}
		all.Wait()
		result = "storage does not answer"
		time.Sleep(maxResultAge - time.Millisecond)
		ask("")
		if probes != 1 {
			t.Errorf("probes of the first second: got %d, want 1", probes)
		}
		time.Sleep(time.Millisecond)
		ask(result)
		time.Sleep(maxResultAge / 2)
		ask(result)
		if probes != 2 {
			t.Errorf("probes: got %d, want 2", probes)
		}
	})
}

func TestReadiness_returns_when_the_client_leaves(t *testing.T) {
	t.Parallel()
	var checked readiness
	hung := make(chan struct{})
	probe := func() string { <-hung; return "" }
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := checked.check(ctx, probe); !errors.Is(err, context.Canceled) {
		t.Errorf("answer: got %v, want %v", err, context.Canceled)
	}
	close(hung)
	if got, err := checked.check(t.Context(), probe); got != "" || err != nil { // of the same probe
		t.Errorf("answer: got %q, %v, want that all is there", got, err)
	}
}
