package live

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"portico/graph/access"
	"portico/internal/testkit/logs"
	"portico/model"
)

// reading is one response of a script.
type reading struct {
	state int
	err   error
}

// scripted is a feed with a scripted state: each read returns the next reading of the channel, and
// each change causes a read. The state 100 is the last one.
type scripted struct {
	stateFeed[int]
	readings chan reading
	changed  chan struct{}
}

func newScripted() *scripted {
	s := &scripted{readings: make(chan reading), changed: make(chan struct{})}
	s.stateFeed = stateFeed[int]{
		load: func(ctx context.Context) (int, error) {
			select {
			case r := <-s.readings:
				return r.state, r.err
			case <-ctx.Done():
				return 0, ctx.Err()
			}
		},
		equal:   func(a, b int) bool { return a == b },
		isFinal: func(state int) bool { return state == 100 },
	}
	return s
}

// errAway is the error of a feed while the database is unavailable.
var errAway = errors.New("the database is away")

// startScripted starts a scripted feed, which runs until cancel is called or the test ends.
func startScripted(t *testing.T) (s *scripted, out <-chan int, cancel context.CancelFunc, log *logs.Buffer) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	log, s = &logs.Buffer{}, newScripted()
	out = startFeed(ctx, &engine{log: slog.New(slog.NewTextHandler(log, nil))}, s.changed, &s.stateFeed, func() {})
	t.Cleanup(func() { cancel(); drain(t, out) })
	return s, out, cancel, log
}

// wantState checks the next state.
func wantState(t *testing.T, out <-chan int, want int) {
	t.Helper()
	got, open := receive(t, out)
	if !open || got != want {
		t.Fatalf("got %d (open: %v), want %d", got, open, want)
	}
}

func TestFeed_sends_the_state_now_and_then_each_change(t *testing.T) {
	t.Parallel()
	s, out, _, _ := startScripted(t)
	for state := 1; state < 4; state++ {
		s.readings <- reading{state: state}
		wantState(t, out, state)
		s.changed <- struct{}{}
	}
}

func TestFeed_sends_the_newest_state_to_a_slow_reader(t *testing.T) {
	t.Parallel()
	s, out, _, _ := startScripted(t)
	for state := 1; state < 10; state++ {
		s.readings <- reading{state: state}
		s.changed <- struct{}{} // taken while the state is on offer
	}
	s.readings <- reading{state: 10}
	wantState(t, out, 10)
}

func TestFeed_does_not_repeat_what_the_reader_has(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, out, _, _ := startScripted(t)
		s.readings <- reading{state: 1}
		wantState(t, out, 1)
		s.changed <- struct{}{}
		s.readings <- reading{state: 1}
		synctest.Wait()
		select {
		case got := <-out:
			t.Errorf("got %d again, want nothing", got)
		default:
		}
		s.changed <- struct{}{}
		s.readings <- reading{state: 2}
		wantState(t, out, 2)
	})
}

func TestFeed_reads_again_without_an_announcement(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		s, out, _, _ := startScripted(t)
		for state := 1; state <= 3; state++ {
			s.readings <- reading{state: state}
			wantState(t, out, state)
		}
		equal(t, "time for two states without an announcement", time.Since(began), 2*pollInterval)
	})
}

func TestFeed_ends_after_the_last_state(t *testing.T) {
	t.Parallel()
	s, out, _, _ := startScripted(t)
	s.readings <- reading{state: 100}
	wantState(t, out, 100)
	if got, open := receive(t, out); open {
		t.Errorf("after the last state: got %d, want the end", got)
	}
}

func TestFeed_reads_again_after_an_error(t *testing.T) {
	t.Parallel()
	s, out, _, log := startScripted(t)
	s.readings <- reading{err: errAway}
	s.changed <- struct{}{}
	s.readings <- reading{state: 1}
	wantState(t, out, 1)
	s.changed <- struct{}{}
	s.readings <- reading{err: errAway}
	s.changed <- struct{}{}
	s.readings <- reading{state: 2}
	wantState(t, out, 2)
	equal(t, "logged errors", strings.Count(log.String(), errAway.Error()), 2)
}

func TestFeed_ends_when_the_thing_is_gone(t *testing.T) {
	t.Parallel()
	s, out, _, _ := startScripted(t)
	s.readings <- reading{err: model.NotFound("Job not found")}
	if got, open := receive(t, out); open {
		t.Errorf("got %d, want the end", got)
	}
}

func TestFeed_ends_when_the_caller_may_no_longer_read(t *testing.T) {
	t.Parallel()
	s, out, _, _ := startScripted(t)
	s.readings <- reading{err: model.Forbidden(access.SpaceForbidden)}
	if got, open := receive(t, out); open {
		t.Errorf("got %d, want the end", got)
	}
}

func TestFeed_ends_with_its_context(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]func(*scripted, <-chan int){
		"while it reads": func(*scripted, <-chan int) {},
		"while it offers": func(s *scripted, _ <-chan int) {
			s.readings <- reading{state: 1}
		},
		"while it waits": func(s *scripted, out <-chan int) {
			s.readings <- reading{state: 1}
			<-out
		},
		"after an error": func(s *scripted, _ <-chan int) { s.readings <- reading{err: errAway} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, out, cancel, _ := startScripted(t)
			before(s, out)
			cancel()
			drain(t, out)
		})
	}
}

// numbers is a feed of the numbers from 1, at most three in one read. There is a signal only for
// the first number.
type numbers struct {
	mu    sync.Mutex
	there int
	sent  int
}

var _ feed[int] = (*numbers)(nil)

func (n *numbers) read(context.Context) (items []int, more bool, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for number := n.sent + 1; number <= n.there; number++ {
		if len(items) == 3 {
			return items, true, nil
		}
		items = append(items, number)
	}
	return items, false, nil
}

func (n *numbers) markDelivered(number int) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.sent = number
	return number == 10
}

func (n *numbers) come(there int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.there = there
}

// TestFeed_sends_items tests feeds of many items.
func TestFeed_sends_items(t *testing.T) {
	t.Parallel()
	takeAll := func(t *testing.T, out <-chan int) (got []int) {
		t.Helper()
		for {
			number, open := receive(t, out)
			if !open {
				return got
			}
			got = append(got, number)
		}
	}
	want := []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	t.Run("sends all in order, and what one read could not return soon after", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			out := startFeed(t.Context(), &engine{}, nil, &numbers{there: 10}, func() {})
			if got := takeAll(t, out); !slices.Equal(got, want) {
				t.Errorf("items: got %v, want %v", got, want)
			}
			equal(t, "time", time.Since(began), 3*moreInterval)
		})
	})
	t.Run("neither leaves out nor repeats what a change withdraws", func(t *testing.T) {
		t.Parallel()
		feed, changed := &numbers{there: 2}, make(chan struct{})
		out := startFeed(t.Context(), &engine{}, changed, feed, func() {})
		first, _ := receive(t, out)
		changed <- struct{}{} // while 2 is on offer
		feed.come(10)
		changed <- struct{}{}
		if got := append([]int{first}, takeAll(t, out)...); !slices.Equal(got, want) {
			t.Errorf("items: got %v, want %v", got, want)
		}
	})
}

// drain receives until the channel is closed.
func drain[T any](t testing.TB, from <-chan T) {
	t.Helper()
	for open := true; open; {
		_, open = receive(t, from)
	}
}
