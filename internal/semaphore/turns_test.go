package semaphore

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
)

func TestTurns_lets_one_caller_have_a_key(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var turns Turns
		endFirst, err := turns.Wait(t.Context(), "alice")
		if err != nil {
			t.Fatal(err)
		}
		endOther, err := turns.Wait(t.Context(), "bob")
		if err != nil {
			t.Fatal(err)
		}
		var got func()
		go func() { got, _ = turns.Wait(t.Context(), "alice") }()
		left, leave := context.WithCancel(t.Context())
		leave()
		if _, err := turns.Wait(left, "alice"); !errors.Is(err, context.Canceled) {
			t.Errorf("a caller that has left: got %v, want it canceled", err)
		}
		synctest.Wait()
		if got != nil {
			t.Error("second caller: got its turn beside the first, want it to wait")
		}
		endFirst()
		synctest.Wait()
		if got == nil {
			t.Fatal("second caller: got no turn after the first, want one")
		}
		got()
		endOther()
		if len(turns.keys) != 0 {
			t.Errorf("kept at the end: got %d keys, want none", len(turns.keys))
		}
	})
}

func TestTurns_refuses_more_than_the_maximum_of_waiting_callers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		turns := Turns{MaxWaiting: 1}
		endFirst, err := turns.Wait(t.Context(), "alice")
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			endSecond, err := turns.Wait(t.Context(), "alice")
			if err != nil {
				t.Error(err)
				return
			}
			endSecond()
		}()
		synctest.Wait()
		if _, err := turns.Wait(t.Context(), "alice"); !errors.Is(err, ErrTooManyWaiting) {
			t.Errorf("third caller: got %v, want %v", err, ErrTooManyWaiting)
		}
		endFirst()
		<-ended
		if len(turns.keys) != 0 {
			t.Errorf("kept at the end: got %d keys, want none", len(turns.keys))
		}
	})
}
