package worker

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/riverqueue/river"

	"portico/db"
	"portico/model"
)

func TestPreparation_is_repeated_after_an_internal_error(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	file := w.addFile(t, "scan.ply", "sss")
	bad := w.idle(t, withScript("panic"))
	for attempt := 1; attempt < db.JobAttempts; attempt++ {
		if err := w.prepare(t.Context(), bad, file, attempt); err == nil {
			t.Errorf("attempt %d: got nil, want an error that makes River try again", attempt)
		}
	}
	for _, attempt := range []int{db.JobAttempts, db.JobAttempts + 1} {
		if err := w.prepare(t.Context(), bad, file, attempt); err != nil {
			t.Errorf("attempt %d: got %v, want nil: it is given up", attempt, err)
		}
	}
	w.checkWorkedCleanly(t)
}

func TestPreparation_outlasts_an_outage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	file := w.addFile(t, "scan.ply", "sss")
	away := w.idle(t, withScript("good"), func(o *Options) { o.Store = lost{w.store} })
	err := w.prepare(t.Context(), away, file, db.JobAttempts)
	if snooze, ok := errors.AsType[*river.JobSnoozeError](err); !ok || snooze.Duration < time.Second {
		t.Fatalf("last attempt: got %v, want it to be made again after a while", err)
	}
	if got := w.prepared(t, w.idle(t, withScript("good")), file); !posterMade(got) {
		t.Errorf("file: got %+v, want it to be prepared", got)
	}
}

func TestPreparation_is_handed_back_when_the_process_stops(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	file := w.addFile(t, "scan.ply", "sss")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := w.prepare(ctx, w.idle(t, withScript("good")), file, 1)
	if _, ok := errors.AsType[*river.JobSnoozeError](err); !ok {
		t.Errorf("prepare: got %v, want it to be there again at once", err)
	}
}

// The file that a job has made is prepared without a request.
func TestPreparation_follows_a_job(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.submitTo(t, "scan.ply", "sss", model.ConvertToSOG)
	w.start(t, withScript("good"))
	file := w.awaitFile(t, w.awaitCompleted(t, job.ID), "prepared", posterMade)
	if got := w.content(t, file.PosterStorageKey()); !strings.HasPrefix(string(got), "made of") {
		t.Errorf("poster: got %q, want what was made of the file", got)
	}
}

// Another process continues the preparation of a file when the first process is killed.
func TestPreparation_outlives_its_server(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	file := w.addFile(t, "scan.ply", "sss")
	if err := w.db.Queue().EnqueuePreparation(t.Context(), file.ResourceKey); err != nil {
		t.Fatalf("enqueue: %v", err)
	}
	server := w.spawn(t, settings{Script: "slow on .jpg"})
	w.awaitFile(t, file, "looked into", func(file *model.File) bool { return file.Facts != nil })
	server.kill()
	w.start(t, withScript("good"))
	w.awaitFile(t, file, "prepared", posterMade)
}
