package worker

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/riverqueue/river"

	"portico/db"
	"portico/model"
	"portico/worker/child"
)

// However the child ends, the job ends as well and leaves nothing behind.
func TestConversion_that_cannot_be_fails(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, script, want string }{
		{"for a fault in the capture", "fault", `Entry "data.bin": is cut short`},
		{"for want of memory", "out of memory", child.ReasonMemory},
		{"for want of a disk", "disk full", "The server has no storage left for this file"},
		{"for want of a program", "", "Captures are not converted by this server"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			worker := w.idle(t)
			if test.script != "" {
				worker = w.idle(t, withScript(test.script))
			}
			job := w.submitLCC(t)
			if err := w.attempt(t, worker, job); err != nil {
				t.Errorf("work: got %v, want nil: no other attempt helps", err)
			}
			if got := w.job(t, job.ID); got.Status != model.JobFailed || got.Error != test.want {
				t.Errorf("job: got %s with %q, want failed with %q", got.Status, got.Error, test.want)
			}
			w.checkNothingKept(t, job)
			w.checkWorkedCleanly(t)
		})
	}
}

func TestConversion_whose_child_crashes_is_tried_again(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		script  string
		silence time.Duration
		want    string
	}{
		{"panic", time.Minute, model.InternalMessage},
		{"killed", time.Minute, child.ReasonMemory},
		{"silent", 100 * time.Millisecond, child.ReasonSilent},
	} {
		t.Run(test.script, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			worker := w.idle(t, withScript(test.script), func(o *Options) { o.SilenceTimeout = test.silence })
			job := w.submitLCC(t)
			for number := 1; number < db.JobAttempts; number++ {
				if err := w.attempt(t, worker, job); err == nil {
					t.Fatalf("attempt %d: got nil, want an error that makes River try again", number)
				}
				w.checkWorkedCleanly(t)
			}
			if err := w.attempt(t, worker, job); err != nil {
				t.Errorf("last attempt: got %v, want nil", err)
			}
			if got := w.job(t, job.ID); got.Status != model.JobFailed || got.Error != test.want {
				t.Errorf("job: got %s with %q, want failed with %q", got.Status, got.Error, test.want)
			}
			w.checkNothingKept(t, job)
		})
	}
}

// Killing a child uses up one attempt.
func TestConversion_whose_child_was_killed_completes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.submitTo(t, "scan.ply", "sss", model.ConvertToSOG)
	w.start(t, withScript("killed at first"))
	file := w.awaitCompleted(t, job.ID)
	if got := w.job(t, job.ID); got.CountedAttempts != 2 {
		t.Errorf("counted attempts: got %d, want 2", got.CountedAttempts)
	}
	if got := w.content(t, file.StorageKey()); string(got) != "made of sss" {
		t.Errorf("file: got %q", got)
	}
}

// pid waits until a child has printed its process id, and returns the id.
func (w *world) pid(t *testing.T, job *model.Job) int {
	t.Helper()
	var pid int
	w.await(t, job.ID, "converting", func(job *model.Job) bool {
		_, err := fmt.Sscanf(job.Message, "Converting: process %d", &pid)
		return err == nil
	})
	return pid
}

// gone reports whether a process has ended. A zombie counts as ended.
func gone(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return syscall.Kill(pid, 0) != nil
	}
	_, state, _ := strings.Cut(string(stat), ") ")
	return strings.HasPrefix(state, "Z") || strings.HasPrefix(state, "X")
}

func awaitGone(t *testing.T, pid int) {
	t.Helper()
	for deadline := time.Now().Add(timeout); !gone(pid); <-time.After(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("child %d: still there, want it gone", pid)
		}
	}
}

func TestConversion_stops_when_the_job_is_canceled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.submitLCC(t)
	w.start(t, withScript("slow"))
	pid := w.pid(t, job)
	began := time.Now()
	w.cancel(t, job)
	awaitGone(t, pid)
	w.awaitObjects(t, nil)
	w.checkWorkedCleanly(t)
	t.Logf("stopped after %v", time.Since(began))
	w.checkNothingKept(t, job)
}

// Clients see the progress of the whole job, and it never falls, even if a child reports
// less than before.
func TestConversion_reports_the_progress_of_the_child(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.submitLCC(t)
	w.start(t, withScript("slow"))
	half := math.Floor((percentPrepared + percentConverted) / 2) // percentages are whole numbers
	w.pid(t, job)
	at := w.await(t, job.ID, "going on", func(job *model.Job) bool { return strings.HasSuffix(job.Message, "is still here") })
	if at.Progress != half {
		t.Errorf("progress: got %v, want %v, which the child had come to before", at.Progress, half)
	}
	if got, want := at.Step(), (model.JobStep{Name: model.JobConverting, Done: 40, Total: 100}); got == nil || *got != want {
		t.Errorf("step: got %+v, want %+v", got, want)
	}
	w.cancel(t, job) // so that the test need not wait for it
}

// After kill -9 of the server its child ends too. The next server starts the job again and
// removes the first attempt's files.
func TestConversion_outlives_its_server(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.submitLCC(t)
	server := w.spawn(t, settings{Script: "slow"})
	pid := w.pid(t, job)
	if got := names(t, w.work); len(got) != 1 {
		t.Errorf("work folder: got %q, want that of the attempt", got)
	}
	server.kill()
	awaitGone(t, pid)

	w.start(t, withScript("good"))
	file := w.awaitCompleted(t, job.ID)
	if got := path.Base(file.ResourceKey); got != "lod-meta.json" || w.job(t, job.ID).Attempt != 2 {
		t.Errorf("file: got %q, want the second attempt's", got)
	}
	if err := removeLeftovers(w.work); err != nil {
		t.Errorf("sweep: got %v, want nil", err)
	}
	w.checkWorkedCleanly(t)
}

func TestConversion_is_handed_back_when_the_server_stops(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.submitLCC(t)
	a := w.claim(t, job)
	a.tools = w.idle(t, withScript("slow")).newAttemptTools(job.ID, w.log)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- a.finish(ctx, a.run(ctx)) }()
	pid := w.pid(t, job)
	stop()
	if _, ok := errors.AsType[*river.JobSnoozeError](<-ended); !ok {
		t.Error("end: got another error, want the job to be there again at once")
	}
	if !gone(pid) {
		t.Error("child: still there, want it to end with its server")
	}
	if got := w.job(t, job.ID); got.Status != model.JobQueued || got.CountedAttempts != 0 {
		t.Errorf("job: got %s with %d attempts, want it queued with none", got.Status, got.CountedAttempts)
	}
	w.checkWorkedCleanly(t)
}
