package limit

import (
	"context"
	"errors"
	"maps"
	"reflect"
	"slices"
	"testing"
	"time"

	"portico/model"
)

const alice, bob = Subject("user:alice"), Subject("user:bob")

func TestTake_refuses_the_request_after_the_limit(t *testing.T) {
	t.Parallel()
	inEachStore(t, func(t *testing.T, w *world) {
		l := w.limiter()
		limits := defaultLimits()
		delete(limits, Written) // bytes, not requests: TestWrites_are_limited_in_bytes
		for scope, limit := range limits {
			subject := Subject("user:" + scope) // one each: all count in All
			take(t, l, limit, subject, scope)
			refused(t, l, subject, scope)
		}
	})
}

func TestTake_counts_every_scope_in_all(t *testing.T) {
	t.Parallel()
	inEachStore(t, func(t *testing.T, w *world) {
		l := w.limiter()
		take(t, l, 20, alice, Upload)
		take(t, l, 120, alice, Job)
		take(t, l, 160, alice, All)
		for scope := range defaultLimits() {
			if scope.countsInAll() {
				refused(t, l, alice, scope)
			}
		}
	})
}

// Moves neither use up the limit of all requests, nor wait for it.
func TestTake_counts_moves_apart_from_all(t *testing.T) {
	t.Parallel()
	inEachStore(t, func(t *testing.T, w *world) {
		l := w.limiter()
		take(t, l, 1000, alice, Move)
		take(t, l, 299, alice, All)
		take(t, l, 1, alice, Move, All)
		refused(t, l, alice, All)
		refused(t, l, alice, Move, All)
		take(t, l, 1, alice, Move)
	})
}

func TestTake_counts_each_subject_and_scope_on_its_own(t *testing.T) {
	t.Parallel()
	inEachStore(t, func(t *testing.T, w *world) {
		l := w.limiter()
		take(t, l, 20, alice, Upload)
		refused(t, l, alice, Upload)
		take(t, l, 20, alice, UploadComplete)
		take(t, l, 20, bob, Upload)
		take(t, l, 20, "ip:192.0.2.1", Upload)
	})
}

func TestTake_reports_refusals(t *testing.T) {
	t.Parallel()
	refusals := map[Scope]int{}
	l, err := New(Options{Refused: func(s Scope) { refusals[s]++ }})
	if err != nil {
		t.Fatal(err)
	}
	take(t, l, 20, alice, Upload)
	refused(t, l, alice, Upload)
	take(t, l, 280, alice, All)
	refused(t, l, alice, All)
	refused(t, l, alice, Entities)
	if want := (map[Scope]int{Upload: 1, All: 1, Entities: 1}); !maps.Equal(refusals, want) {
		t.Errorf("refusals: got %v, want %v", refusals, want)
	}
}

func TestTake_counts_a_refused_request_nowhere(t *testing.T) {
	t.Parallel()
	inEachStore(t, func(t *testing.T, w *world) {
		l := w.limiter()
		take(t, l, 20, alice, Upload)
		for range 50 {
			refused(t, l, alice, Upload)
		}
		take(t, l, 280, alice, All)
		for range 50 {
			refused(t, l, alice, Job)
		}
		w.advance(window) // what Job has refused is not in its window either
		take(t, l, 120, alice, Job)
	})
}

func TestTake_returns_what_is_left_of_the_window(t *testing.T) {
	t.Parallel()
	inEachStore(t, func(t *testing.T, w *world) {
		l := w.limiter()
		take(t, l, 1, alice, Upload) // starts the window
		w.advance(20 * time.Second)
		take(t, l, 19, alice, Upload) // does not move it
		// The clock of a real Redis advances meanwhile.
		if got, want := refused(t, l, alice, Upload), 40*time.Second; got > want || got < want-10*time.Second {
			t.Errorf("RetryAfter: got %v, want %v", got, want)
		}
		w.advance(15*time.Second + 1*time.Millisecond)
		got, want := refused(t, l, alice, Upload), 25*time.Second
		if got > want || got < want-10*time.Second || got%time.Second != 0 {
			t.Errorf("RetryAfter of a part of a second: got %v, want %v", got, want)
		}
		w.advance(got) // a client that waits so long gets through
		take(t, l, 20, alice, Upload)
		refused(t, l, alice, Upload)
	})
}

func TestTake_returns_at_least_one_second(t *testing.T) {
	t.Parallel()
	for _, s := range stores[:2] { // a real Redis does not stand still
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			w := s.open(t)
			l := w.limiter()
			take(t, l, 20, alice, Upload)
			w.advance(window - time.Millisecond)
			if got, want := refused(t, l, alice, Upload), time.Second; got != want {
				t.Errorf("RetryAfter: got %v, want %v", got, want)
			}
			w.advance(time.Millisecond)
			take(t, l, 20, alice, Upload)
		})
	}
}

func TestTake_returns_the_longer_of_two_waits(t *testing.T) {
	t.Parallel()
	for _, s := range stores[:2] {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			w := s.open(t)
			l := w.limiter()
			take(t, l, 1, alice, All)
			w.advance(30 * time.Second)
			take(t, l, 20, alice, Upload)
			take(t, l, 279, alice, All)
			if got, want := refused(t, l, alice, All), 30*time.Second; got != want {
				t.Errorf("RetryAfter in all: got %v, want %v", got, want)
			}
			if got, want := refused(t, l, alice, Upload), window; got != want {
				t.Errorf("RetryAfter in both: got %v, want %v", got, want)
			}
		})
	}
}

func TestTake_takes_several_scopes_or_none(t *testing.T) {
	t.Parallel()
	inEachStore(t, func(t *testing.T, w *world) {
		l := w.limiter()
		take(t, l, 9, alice, Upload, Upload, UploadComplete)
		refused(t, l, alice, Upload, Upload, Upload, Job)
		take(t, l, 2, alice, Upload)
		take(t, l, 11, alice, UploadComplete)
		take(t, l, 120, alice, Job)
		take(t, l, 300-27-2-11-120, alice, All)
		refused(t, l, alice, All)
	})
}

func TestTake_refuses_more_at_once_than_a_window_takes(t *testing.T) {
	t.Parallel()
	inEachStore(t, func(t *testing.T, w *world) {
		l := w.limiter()
		// No wait would help, so none is named.
		if got, want := refused(t, l, alice, slices.Repeat([]Scope{Upload}, 21)...), time.Duration(0); got != want {
			t.Errorf("RetryAfter: got %v, want %v", got, want)
		}
		take(t, l, 1, alice, slices.Repeat([]Scope{Upload}, 20)...)
	})
}

func TestTake_counts_a_request_that_never_fits_as_one(t *testing.T) {
	t.Parallel()
	inEachStore(t, func(t *testing.T, w *world) {
		l := w.limiter()
		for range 200 {
			refused(t, l, alice, slices.Repeat([]Scope{Upload}, 21)...)
		}
		take(t, l, 90, alice, All)
		take(t, l, 10, alice, Upload) // no upload has counted
		refused(t, l, alice, All)
	})
}

func TestTake_is_exact_under_concurrency(t *testing.T) {
	t.Parallel()
	inEachStore(t, func(t *testing.T, w *world) {
		one := []*Limiter{w.limiter()}
		for scope, want := range map[Scope]int{All: 300, Upload: 20} {
			if got := passing(t.Context(), 1000, one, Subject("user:"+scope), scope); got != want {
				t.Errorf("of 1000 in %s: got %d pass, want %d", scope, got, want)
			}
		}
	})
}

func TestTake_passes_when_limits_are_off(t *testing.T) {
	t.Parallel()
	var off *Limiter
	take(t, off, 1000, alice, Upload)
	check(t, off.Close())
}

func TestTake_counts_nothing_without_a_scope(t *testing.T) {
	t.Parallel()
	l := memoryWorld(t).limiter()
	take(t, l, 1000, alice)
}

func TestTake_answers_in_the_words_of_the_doors(t *testing.T) {
	t.Parallel()
	l := memoryWorld(t).limiter()
	take(t, l, 20, alice, Upload)
	got := model.AsError(l.Take(context.Background(), alice, Upload))
	want := &model.Error{Code: model.CodeRateLimited, Message: "Rate limit exceeded", RetryAfter: window, Budget: got.Budget}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("error: got %+v, want %+v", got, want)
	}
}

func TestTake_returns_the_budget(t *testing.T) {
	t.Parallel()
	inEachStore(t, func(t *testing.T, w *world) {
		l := w.limiter()
		take(t, l, 18, alice, Upload)
		err := model.AsError(l.Take(t.Context(), alice, Upload, Upload, Upload))
		if b := err.Budget; b == nil || b.Limit != 20 || b.Cost != 3 || b.Remaining == nil || *b.Remaining != 2 {
			t.Errorf("budget: got %+v, want 3 of 20 with 2 left", b)
		}
		err = model.AsError(l.Take(t.Context(), alice, slices.Repeat([]Scope{Upload}, 21)...))
		if b := err.Budget; b == nil || b.Limit != 20 || b.Cost != 21 || b.Remaining != nil {
			t.Errorf("budget of what never fits: got %+v, want 21 of 20", b)
		}
	})
}

// A request that Take has counted at the door counts in the scopes of its operations, and
// once in All.
func TestTakeMore_counts_the_first_operation_in_its_own_scope_only(t *testing.T) {
	t.Parallel()
	inEachStore(t, func(t *testing.T, w *world) {
		l := w.limiter()
		more := func(scopes ...Scope) error {
			take(t, l, 1, alice, All)
			return l.TakeMore(t.Context(), alice, scopes...)
		}
		for range 20 {
			check(t, more(Upload))
		}
		if got := model.CodeOf(more(Upload)); got != model.CodeRateLimited {
			t.Errorf("upload 21: got %q, want rate_limited", got)
		}
		check(t, more(All, All, Job)) // 21 + 3 in All
		take(t, l, 300-24, alice, All)
		refused(t, l, alice, All)
	})
}

// An operator's limits are in place of the defaults; the other scopes keep theirs.
func TestLimits_of_an_operator(t *testing.T) {
	t.Parallel()
	l, err := New(Options{Now: newClock().Now, Limits: map[Scope]int{Upload: 2, All: 4}})
	check(t, err)
	subject := Subject("user:1")
	for i, want := range []bool{true, true, false, false} {
		if got := l.Take(t.Context(), subject, Upload) == nil; got != want {
			t.Errorf("upload %d: got passed %v, want %v", i+1, got, want)
		}
	}
	for i, want := range []bool{true, true, false} {
		err := l.Take(t.Context(), subject, Job)
		if got := err == nil; got != want {
			t.Errorf("request %d of all: got passed %v, want %v", i+3, got, want)
		}
		if refused, ok := errors.AsType[*model.Error](err); ok && refused.Budget.Limit != 4 {
			t.Errorf("limit in the refusal: got %d, want 4", refused.Budget.Limit)
		}
	}
	if err := l.Take(t.Context(), subject, Upload, Upload, Upload); model.AsError(err).RetryAfter != 0 {
		t.Errorf("more than a window has: got %v, want a refusal without a time", err)
	}
}
