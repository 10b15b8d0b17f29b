package background

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

func TestSignal_merges_signals_that_nobody_has_received(t *testing.T) {
	t.Parallel()
	channel := make(chan struct{}, 1)
	Signal(channel)
	Signal(channel)
	if got, want := len(channel), 1; got != want {
		t.Errorf("signals: got %d, want %d", got, want)
	}
	<-channel
	Signal(channel)
	if got, want := len(channel), 1; got != want {
		t.Errorf("signals after one was received: got %d, want %d", got, want)
	}
}

func TestPause_ends_with_its_time_or_its_context(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		for _, test := range []struct{ pause, want time.Duration }{
			{time.Second, time.Second}, {time.Hour, time.Minute - time.Second}, {time.Hour, 0},
		} {
			start := time.Now()
			Pause(ctx, test.pause)
			if got := time.Since(start); got != test.want {
				t.Errorf("Pause(%v): got %v, want %v", test.pause, got, test.want)
			}
		}
	})
}
