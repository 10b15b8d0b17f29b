package limit

import (
	"fmt"
	"testing"
	"time"

	"portico/internal/counter"
)

// flood takes one request of each of n subjects.
func flood(t testing.TB, m *memory, n int, prefix string) {
	t.Helper()
	for i := range n {
		if short, _ := m.take(t.Context(), Subject(fmt.Sprint(prefix, i)), charges(defaultLimits(), []Scope{All})); short.wait != 0 {
			t.Fatalf("subject %d: got refused for %v, want it to pass", i, short.wait)
		}
	}
}

func TestMemory_keeps_accounts_when_addresses_are_many(t *testing.T) {
	t.Parallel()
	m := newMemory(defaultLimits(), newClock().Now)
	l := &Limiter{store: m, limits: defaultLimits()}
	take(t, l, 20, alice, Upload)
	flood(t, m, counter.MaxWindows+1, "ip:")
	refused(t, l, alice, Upload)
}

func TestMemory_opens_a_new_window_before_the_old_one_is_dropped(t *testing.T) {
	t.Parallel()
	clock := newClock()
	m := newMemory(defaultLimits(), clock.Now)
	l := &Limiter{store: m, limits: defaultLimits()}
	flood(t, m, 1000, "ip:") // ahead of it in the list
	take(t, l, 300, "ip:busy", All)
	clock.advance(window)
	take(t, l, 300, "ip:busy", All) // drops the old one on the way
	refused(t, l, "ip:busy", All)
}

func TestMemory_starts_again_when_it_was_empty(t *testing.T) {
	t.Parallel()
	clock := newClock()
	l := &Limiter{store: newMemory(defaultLimits(), clock.Now), limits: defaultLimits()}
	for range 3 {
		take(t, l, 20, alice, Upload)
		refused(t, l, alice, Upload)
		clock.advance(window)
	}
}

func BenchmarkTake(b *testing.B) {
	for _, s := range stores {
		b.Run(s.name, func(b *testing.B) {
			l := s.open(b).limiter()
			b.ReportAllocs()
			b.RunParallel(func(p *testing.PB) {
				for i := 0; p.Next(); i++ {
					_ = l.Take(b.Context(), Subject(fmt.Sprint("ip:", i%1000)), Job) // refused as cheaply
				}
			})
		})
	}
}

// BenchmarkMemory_full shows what an attack costs when the windows are used up.
func BenchmarkMemory_full(b *testing.B) {
	m := newMemory(defaultLimits(), time.Now)
	flood(b, m, counter.MaxWindows, "ip:")
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		_, _ = m.take(b.Context(), Subject(fmt.Sprint("ip:new", i)), []charge{{scope: All, count: 1}}) // never fails
	}
}
