package presence

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestClose_stops_the_batches(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		rooms, err := New(Options{Interval: time.Second})
		if err != nil {
			t.Fatal(err)
		}
		room := join(t, rooms, "first").room
		synctest.Wait() // the first batch is built at once
		late := join(t, rooms, "second")
		if err := rooms.Close(); err != nil {
			t.Fatal(err)
		}
		late.Leave()
		time.Sleep(time.Minute)
		synctest.Wait()
		if got, want := room.batch, uint64(1); got != want {
			t.Errorf("batches after Close: got %d, want %d", got, want)
		}
	})
}
