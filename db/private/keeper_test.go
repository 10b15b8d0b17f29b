package private

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// An adopter that gave up after an error would not start the server when its owner ends.
func TestKeeper_tries_the_lock_again_after_an_error(t *testing.T) {
	t.Parallel()
	broken := openLocks(t, 1)[0]
	if err := broken.close(); err != nil {
		t.Fatalf("close: %v", err)
	}
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		c := &Cluster{options: Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}, serverLock: broken}
		started := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 5*retryInterval/2)
		defer cancel()
		if c.waitUntilLost(ctx) {
			t.Errorf("lost: got true, want false")
		}
		if got, want := time.Since(started), 5*retryInterval/2; got != want {
			t.Errorf("waited: got %v, want %v, until the context ended", got, want)
		}
		if got, want := strings.Count(log.String(), "cannot be tried"), 3; got != want {
			t.Errorf("errors in the log: got %d, want %d: %s", got, want, log.String())
		}
	})
}
