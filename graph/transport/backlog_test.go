package transport

import (
	"slices"
	"testing"
	"time"
)

func TestBacklog(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		name  string
		sizes []int
		left  []int // of them, which have left before the last one comes
		after time.Duration
		want  []int // that are let go of
	}{
		{"keeps what it has room for", []int{40, 40, 20}, nil, time.Hour, nil},
		{"lets go of who waits the longest", []int{40, 40, 40}, nil, patience, []int{0}},
		{"lets go of as many as it takes", []int{40, 40, 40, 90}, nil, patience, []int{0, 1, 2}},
		{"spares those that began just now", []int{40, 40, 90}, nil, patience / 2, nil},
		{"counts what has left no more", []int{90, 90, 90}, []int{0, 1}, patience, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := NewBacklog(100)
			var got []int
			var leave []func()
			last := len(test.sizes) - 1
			for i, size := range test.sizes[:last] {
				leave = append(leave, b.Enter(size, began, func() { got = append(got, i) }))
			}
			for _, i := range test.left {
				leave[i]()
			}
			b.Enter(test.sizes[last], began.Add(test.after), func() { t.Error("the last one was let go of") })
			if !slices.Equal(got, test.want) {
				t.Errorf("let go of: got %v, want %v", got, test.want)
			}
		})
	}
}

func TestBacklog_lets_go_once(t *testing.T) {
	t.Parallel()
	b, dropped := NewBacklog(10), 0
	now := time.Now()
	leave := b.Enter(20, now, func() { dropped++ })
	for range 3 {
		b.Enter(1, now.Add(time.Hour), func() {})()
	}
	leave()
	if dropped != 1 {
		t.Errorf("let go: got %d times, want once", dropped)
	}
	if b.bytes != 0 || len(b.waiting) != 0 {
		t.Errorf("left: got %d bytes of %d messages, want none", b.bytes, len(b.waiting))
	}
}

func TestBacklog_nil_has_no_bound(t *testing.T) {
	t.Parallel()
	var b *Backlog
	b.Enter(1<<60, time.Now(), func() { t.Error("let go, want no bound") })()
}
