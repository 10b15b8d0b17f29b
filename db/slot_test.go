package db

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

func TestConnectionSlots_are_in_order(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slots := newConnectionSlots(1)
		check(t, slots.take(t.Context()))
		order := make(chan int, 50)
		var want []int
		for i := range cap(order) {
			want = append(want, i)
			go func() {
				if err := slots.take(t.Context()); err != nil {
					t.Error(err)
				}
				order <- i
				slots.release()
			}()
			synctest.Wait() // until it waits for its slot
		}
		time.Sleep(time.Second) // of the test's clock
		slots.release()
		synctest.Wait()
		close(order)
		var got []int
		for i := range order {
			got = append(got, i)
		}
		if !slices.Equal(got, want) {
			t.Errorf("order: got %v, want %v", got, want)
		}
		var stats sql.DBStats
		slots.addTo(&stats)
		if got, want := stats, (sql.DBStats{WaitCount: 50, WaitDuration: 50 * time.Second}); got != want {
			t.Errorf("waits: got %d of %v, want %d of %v", got.WaitCount, got.WaitDuration, want.WaitCount, want.WaitDuration)
		}
	})
}

func TestConnectionSlots_end_with_their_context(t *testing.T) {
	t.Parallel()
	slots := newConnectionSlots(1)
	check(t, slots.take(t.Context()))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := slots.take(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error: got %v, want the end of the context", err)
	}
	slots.release()
	check(t, slots.take(t.Context()))
}
