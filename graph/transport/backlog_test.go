package transport

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// Nothing is sent after the messages of a case: a burst may be the last that a process
// sends for a while, and what does not fit must not wait for another message.
func TestBacklog(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		sizes   []int
		removed []int // indexes of sizes, removed before the last message is added
		after   time.Duration
		want    []int // indexes of the dropped
	}{
		{"keeps what fits", []int{40, 40, 20}, nil, time.Hour, nil},
		{"drops the oldest", []int{40, 40, 40}, nil, minDropAge, []int{0}},
		{"drops as many as it takes", []int{40, 40, 40, 90}, nil, minDropAge, []int{0, 1, 2}},
		{"spares young messages", []int{40, 40, 90}, nil, minDropAge - 1, nil},
		{"does not count removed messages", []int{90, 90, 90}, []int{0, 1}, time.Hour, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := NewBacklog(100)
				var got []int
				var remove []func()
				for i, size := range test.sizes {
					if i == len(test.sizes)-1 {
						for _, i := range test.removed {
							remove[i]()
						}
					}
					remove = append(remove, b.Add(size, func() { got = append(got, i) }))
				}
				time.Sleep(test.after)
				synctest.Wait()
				if !slices.Equal(got, test.want) {
					t.Errorf("dropped: got %v, want %v", got, test.want)
				}
			})
		})
	}
}

func TestBacklog_drops_nothing_after_the_others_were_received(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := NewBacklog(100)
		first := b.Add(60, func() { t.Error("the first was dropped") })
		second := b.Add(60, func() { t.Error("the second was dropped") })
		first()
		time.Sleep(time.Hour)
		synctest.Wait()
		second()
		if b.timer != nil {
			t.Error("timer: got one, want none while the messages fit")
		}
	})
}

func TestBacklog_drops_once(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, dropped := NewBacklog(10), 0
		remove := b.Add(20, func() { dropped++ })
		time.Sleep(time.Hour)
		for range 3 {
			b.Add(1, func() {})()
		}
		remove()
		if dropped != 1 {
			t.Errorf("dropped: got %d times, want once", dropped)
		}
		if b.bytes != 0 || b.pending.Len() != 0 {
			t.Errorf("left: got %d bytes of %d messages, want none", b.bytes, b.pending.Len())
		}
	})
}

func TestBacklog_nil_has_no_limit(t *testing.T) {
	t.Parallel()
	var b *Backlog
	b.Add(1<<60, func() { t.Error("dropped, want no limit") })()
}
