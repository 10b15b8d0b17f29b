package rest

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"portico/internal/semaphore"
	"portico/model"
)

// spoolBlanks spools a change set of an account: size blanks, which nobody parses.
func (a *api) spoolBlanks(ctx context.Context, account string, size int) (*spool, error) {
	ctx = model.WithCaller(ctx, &model.Caller{UserID: account})
	body := strings.NewReader(strings.Repeat(" ", size))
	return a.spoolBody(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, http.MethodPost, "/v1/spaces/a/changeset", body))
}

// Two clients with large change sets do not keep others from small ones.
func TestSpoolBody_lets_small_bodies_pass(t *testing.T) {
	t.Parallel()
	a := &api{tempFolder: t.TempDir(), largeBodies: semaphore.Room{Size: 1}}
	large, err := a.spoolBlanks(t.Context(), "alice", largeBody+1)
	check(t, err)
	small, err := a.spoolBlanks(t.Context(), "bob", largeBody)
	check(t, err)
	check(t, small.Close())
	left, leave := context.WithCancel(t.Context())
	leave()
	if _, err := a.spoolBlanks(left, "bob", largeBody+1); !errors.Is(err, context.Canceled) {
		t.Errorf("a second large body whose client has left: got %v, want it canceled", err)
	}
	check(t, large.Close())
	next, err := a.spoolBlanks(t.Context(), "bob", largeBody+1)
	check(t, err)
	check(t, next.Close())
}

// An account with many large change sets leaves a slot for the other accounts.
func TestSpoolBody_lets_an_account_have_one_large_body(t *testing.T) {
	t.Parallel()
	a := &api{tempFolder: t.TempDir(), largeBodies: newLargeBodies()}
	first, err := a.spoolBlanks(t.Context(), "alice", largeBody+1)
	check(t, err)
	left, leave := context.WithCancel(t.Context())
	leave()
	if second, err := a.spoolBlanks(left, "alice", largeBody+1); !errors.Is(err, context.Canceled) {
		t.Errorf("a second large body of the account: got %v, want it to wait until its client has left", err)
		check(t, second.Close())
	}
	other, err := a.spoolBlanks(t.Context(), "bob", largeBody+1)
	check(t, err)
	check(t, other.Close())
	check(t, first.Close())
	next, err := a.spoolBlanks(t.Context(), "alice", largeBody+1)
	check(t, err)
	check(t, next.Close())
}

// Two requests hang, for example because the store does not answer. The large bodies of other
// accounts are refused after a while, and the disk that they have is free then.
func TestSpoolBody_refuses_a_body_that_has_waited_for_too_long(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := &api{tempFolder: t.TempDir(), largeBodies: newLargeBodies()}
		hanging, err := a.spoolBlanks(t.Context(), "alice", largeBody+1)
		check(t, err)
		other, err := a.spoolBlanks(t.Context(), "bob", largeBody+1)
		check(t, err)
		for _, account := range []string{"carol", "alice"} { // alice waits for her turn
			started := time.Now()
			_, err = a.spoolBlanks(t.Context(), account, largeBody+1)
			if model.CodeOf(err) != model.CodeRateLimited || model.AsError(err).RetryAfter <= 0 {
				t.Errorf("waiting body of %s: got %v, want 429 with the time to wait", account, err)
			}
			if got := time.Since(started); got != maxMemoryWait {
				t.Errorf("waiting body of %s: got the refusal after %v, want %v", account, got, maxMemoryWait)
			}
		}
		check(t, hanging.Close())
		next, err := a.spoolBlanks(t.Context(), "carol", largeBody+1)
		check(t, err)
		check(t, next.Close())
		check(t, other.Close())
	})
}

// The bodies that wait are complete, and on disk. Without a limit, one account could fill the disk
// while its first change set takes long.
func TestSpoolBody_refuses_the_third_waiting_body_of_an_account(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := &api{tempFolder: t.TempDir(), largeBodies: newLargeBodies()}
		first, err := a.spoolBlanks(t.Context(), "alice", largeBody+1)
		check(t, err)
		waiting := make(chan error, maxWaitingBodies)
		for range maxWaitingBodies {
			go func() {
				next, err := a.spoolBlanks(t.Context(), "alice", largeBody+1)
				if err == nil {
					err = next.Close()
				}
				waiting <- err
			}()
		}
		synctest.Wait()
		_, err = a.spoolBlanks(t.Context(), "alice", largeBody+1)
		if model.CodeOf(err) != model.CodeRateLimited || model.AsError(err).RetryAfter <= 0 {
			t.Errorf("third waiting body: got %v, want 429 with the time to wait", err)
		}
		other, err := a.spoolBlanks(t.Context(), "bob", largeBody+1)
		check(t, err)
		check(t, other.Close())
		check(t, first.Close())
		for range maxWaitingBodies {
			check(t, <-waiting)
		}
	})
}
