package graph

import (
	"testing"
	"testing/synctest"
)

// An account that sends many large pictures delays the picture of another account by one of them.
func TestLargePictureTurns_alternate_between_accounts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var turns largePictureTurns
		endFirst, err := turns.wait(t.Context(), "alice")
		check(t, err)
		type turn struct {
			end func()
			err error
		}
		given := make(map[string]chan turn)
		for _, name := range []string{"alice", "bob"} { // alice's second picture comes before bob's first
			next := make(chan turn, 1)
			given[name] = next
			go func() { // does not call check: the test may have failed and ended before it
				end, err := turns.wait(t.Context(), name)
				next <- turn{end, err}
			}()
			synctest.Wait()
		}
		endFirst()
		synctest.Wait()
		if len(given["alice"]) != 0 || len(given["bob"]) != 1 {
			t.Fatalf("turns after the first picture: got %d of alice and %d of bob, want bob's alone", len(given["alice"]), len(given["bob"]))
		}
		for _, name := range []string{"bob", "alice"} {
			next := <-given[name]
			check(t, next.err)
			next.end()
		}
	})
}
