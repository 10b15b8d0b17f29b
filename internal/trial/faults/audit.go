package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

const (
	// idleTimeout is how long the queue may take to empty: a killed job waits for its
	// lease, and perhaps for its turn.
	idleTimeout = 5 * time.Minute
	// sweepTimeout is how long leftovers may stay after all processes were restarted.
	sweepTimeout = 30 * time.Second
)

// audit waits until all work is done and restarts the services, which have no reason to fail any
// more. Then it checks that everything that was published is stored, and nothing else. What it
// finds is added to the violations and losses of the world; its error means that the audit itself
// has failed.
func (w *world) audit(ctx context.Context, users []*client, all []*published, services ...*service) error {
	if err := w.awaitIdle(ctx); err != nil {
		return err
	}
	for _, s := range services {
		if err := s.stop(); err != nil {
			w.addViolation("%v", err)
		}
	}
	if err := startAll(ctx, services...); err != nil {
		return err
	}
	if err := probe(ctx, services...); err != nil {
		return err
	}
	if err := w.ageUploads(ctx); err != nil {
		return err
	}
	return errors.Join(w.compare(ctx, users, all), w.checkLeftovers(ctx))
}

// probe asks servers whether they are ready, as a supervisor does all the time. A probe
// writes a small object and removes it. The next probe removes the object of one that was
// interrupted.
func probe(ctx context.Context, services ...*service) error {
	for _, s := range services {
		if s.url == "" {
			continue
		}
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+"/readyz", http.NoBody)
		if err != nil {
			return err
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return err
		}
		if err := response.Body.Close(); err != nil {
			return err
		}
		if response.StatusCode != http.StatusOK {
			return fmt.Errorf("probe %s: %s", s.name, response.Status)
		}
	}
	return nil
}

// compare checks the store, the tables and what was published, once.
func (w *world) compare(ctx context.Context, users []*client, all []*published) error {
	sizes, err := w.objects.sizes(ctx)
	if err != nil {
		return err
	}
	rows, err := w.rows(ctx)
	if err != nil {
		return err
	}
	w.checkStore(rows, sizes)
	return errors.Join(w.checkTables(ctx), w.checkPublished(ctx, rows, sizes, all), w.checkUsed(ctx, users, sizes))
}

// awaitIdle waits until no job waits or runs.
func (w *world) awaitIdle(ctx context.Context) error {
	return awaitCondition(ctx, idleTimeout, "the queue is empty", func() (bool, error) {
		left, err := w.database.queryInt(ctx, `
			SELECT (SELECT count(*) FROM jobs WHERE status IN ('queued', 'processing'))
				+ (SELECT count(*) FROM river_job WHERE kind <> 'purge' AND finalized_at IS NULL)`)
		return left == 0, err
	})
}

// ageUploads makes every pending upload two days older and runs the purge. The purge then
// removes the objects without a row, such as unpacked zips, and the uploads that were
// never confirmed.
func (w *world) ageUploads(ctx context.Context) error {
	err := w.database.exec(ctx, "UPDATE uploads SET expires_at = expires_at - interval '2 days'",
		"UPDATE removals SET due_at = due_at - interval '2 days'")
	if err != nil {
		return err
	}
	return awaitCondition(ctx, time.Minute, "the purge has removed everything that is due", func() (bool, error) {
		// River adds the same job every 30 s.
		err := w.database.exec(ctx, `
			INSERT INTO river_job (args, kind, max_attempts, priority, queue, state, scheduled_at)
			SELECT '{}', 'purge', 1, 1, 'purge', 'available', now()
			WHERE NOT EXISTS (SELECT FROM river_job WHERE kind = 'purge' AND finalized_at IS NULL)`,
			// Objects that were just discarded are due a day after their address expired.
			"UPDATE removals SET due_at = now() WHERE due_at > now()")
		if err != nil {
			return false, err
		}
		left, err := w.database.queryInt(ctx, "SELECT (SELECT count(*) FROM removals) + (SELECT count(*) FROM uploads WHERE state = 'pending')")
		return left == 0, err
	})
}

// checkLeftovers waits until the files that killed processes were writing, or working on,
// are removed.
func (w *world) checkLeftovers(ctx context.Context) error {
	var left []string
	err := awaitCondition(ctx, sweepTimeout, "leftovers are gone", func() (bool, error) {
		entries, err := os.ReadDir(filepath.Join(w.data, "work"))
		if err := ignoreMissing(err); err != nil {
			return false, err
		}
		if left, err = w.objects.incomplete(ctx); err != nil {
			return false, err
		}
		for _, entry := range entries {
			left = append(left, entry.Name())
		}
		return len(left) == 0, nil
	})
	if err != nil {
		return fmt.Errorf("%w: %q", err, left)
	}
	return nil
}
