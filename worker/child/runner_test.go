package child_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"portico/internal/testkit/leak"
	"portico/model"
	"portico/splat"
	"portico/storage"
	"portico/worker/child"
	"portico/worker/child/childtest"
)

func TestMain(m *testing.M) {
	childtest.Run()
	leak.Main(m)
}

// newRunner returns a runner whose children follow the script, and a job for it.
func newRunner(t *testing.T, script string) (*child.Runner, child.Job) {
	t.Helper()
	dir := t.TempDir()
	in := filepath.Join(dir, "in.ply")
	if err := os.WriteFile(in, []byte("sss"), 0o600); err != nil {
		t.Fatalf("write: %v", err)
	}
	r := &child.Runner{Program: childtest.Program(script), Memory: 1 << 30, Logger: slog.New(slog.DiscardHandler)}
	return r, child.Job{
		Request:    child.Request{Task: child.TaskInspect, Input: child.Input{In: in}, Workers: 1, FileSize: 1},
		WorkFolder: dir, Timeout: 2 * time.Minute, Progress: func(float64, string) {},
	}
}

func TestRun_returns_the_result(t *testing.T) {
	t.Parallel()
	r, job := newRunner(t, "good")
	job.Request.Task, job.Request.Folder, job.Request.Out = child.TaskConvert, job.WorkFolder, "out.sog"
	var said []string
	job.Progress = func(percent float64, message string) { said = append(said, fmt.Sprintf("%v %s", percent, message)) }
	var used child.Usage
	got, err := r.Run(t.Context(), job, &used)
	if err != nil {
		t.Fatalf("run: got %v, want nil", err)
	}
	if diff := cmp.Diff(&child.Result{Facts: &model.FileFacts{Format: model.FormatPLY, Splats: 3}}, got); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"0 reading", "50 writing out.sog"}, said); diff != "" {
		t.Errorf("progress (-want +got):\n%s", diff)
	}
	if used.CPU <= 0 || used.PeakMemory < 1<<20 {
		t.Errorf("used: got %+v, want the time and memory of a process", used)
	}
}

// maxText is the limit for what a user may see of a child's text, in characters.
const maxText = 500

// reason returns the message that the error has for a job's owner, and whether it is
// final.
func reason(err error) (message string, final bool) {
	if fault, ok := errors.AsType[*splat.InputError](err); ok {
		return fault.Error(), true
	}
	if errors.Is(err, storage.ErrFull) {
		return "full", true
	}
	if ended, ok := errors.AsType[*child.Error](err); ok {
		return ended.Reason, ended.Final
	}
	return "", false
}

// One row for each way in which a child can end.
func TestRun_returns_how_a_child_ended(t *testing.T) {
	t.Parallel()
	tests := []struct {
		script string
		reason string // for the job's owner
		final  bool
		says   string // in the error for the log
	}{
		{"fault", `Entry "data.bin": is cut short`, true, ""},
		{"strange fault", "odd  " + strings.Repeat("x", maxText-5) + "...", true, ""},
		{"exits 2 silently", model.InternalMessage, false, "exit status 2"},
		{"no result", model.InternalMessage, false, "without a result"},
		{"two results", model.InternalMessage, false, "there is a line after the result"},
		{"garbage", model.InternalMessage, false, "invalid character"},
		{"null result", model.InternalMessage, false, "has neither progress nor a result"},
		{"nothing in a line", model.InternalMessage, false, "has neither progress nor a result"},
		{"huge line", model.InternalMessage, false, "longer than"},
		{"panic", model.InternalMessage, false, "panic: a bug"},
		{"trouble", model.InternalMessage, false, "no such flag"},
		{"disk full", "full", true, "means_l.webp"},
		{"too large a file", child.ReasonTooLarge, true, "means_l.webp"},
		{"too much time", child.ReasonTooLong, true, "CPU"},
		{"out of memory", child.ReasonMemory, true, ""},
		{"out of memory while collecting", child.ReasonMemory, true, "SIGSEGV"},
		{"out of memory for a thread", child.ReasonMemory, true, "pthread_create"},
		{"out of memory for the heap", child.ReasonMemory, true, "page summary"},
		{"killed", child.ReasonMemory, false, "signal: killed"},
	}
	for _, test := range tests {
		t.Run(test.script, func(t *testing.T) {
			t.Parallel()
			r, job := newRunner(t, test.script)
			_, err := r.Run(t.Context(), job, &child.Usage{})
			if got, final := reason(err); got != test.reason || final != test.final {
				t.Errorf("reason: got %q, final %v, want %q, final %v (%v)", got, final, test.reason, test.final, err)
			}
			if got, want := errors.Is(err, child.ErrTooLarge), test.reason == child.ReasonTooLarge; got != want {
				t.Errorf("is ErrTooLarge: got %v, want %v", got, want)
			}
			if err == nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("error: got %v, want it to say %q", err, test.says)
			}
			if len(err.Error()) > 6<<10 {
				t.Errorf("error: got %d bytes, want them bounded", len(err.Error()))
			}
		})
	}
}

func TestRun_ends_a_child(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, script string
		change       func(*child.Job)
		reason       string
	}{
		{"that is silent", "silent", func(j *child.Job) { j.SilenceTimeout = 100 * time.Millisecond }, child.ReasonSilent},
		{"that takes too long", "slow", func(j *child.Job) { j.Timeout, j.SilenceTimeout = 500*time.Millisecond, time.Minute }, child.ReasonTooLong},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r, job := newRunner(t, test.script)
			test.change(&job)
			_, err := r.Run(t.Context(), job, &child.Usage{})
			if got, _ := reason(err); got != test.reason {
				t.Errorf("run: got %v, want %q", err, test.reason)
			}
		})
	}
}

// The child ignores SIGTERM and prints progress all the time.
func TestRun_ends_with_its_context(t *testing.T) {
	t.Parallel()
	r, job := newRunner(t, "slow")
	job.SilenceTimeout = time.Minute
	ctx, cancel := context.WithCancelCause(t.Context())
	errCanceled := errors.New("canceled")
	var canceled time.Time
	job.Progress = func(float64, string) {
		if canceled.IsZero() {
			canceled = time.Now()
			cancel(errCanceled)
		}
	}
	_, err := r.Run(ctx, job, &child.Usage{})
	if !errors.Is(err, errCanceled) {
		t.Errorf("run: got %v, want %v", err, errCanceled)
	}
	if got := time.Since(canceled); got > time.Minute {
		t.Errorf("ended after %v, want it at once", got)
	}
}

func TestRun_fails_without_the_program(t *testing.T) {
	t.Parallel()
	r, job := newRunner(t, "good")
	r.Program = []string{"/nowhere/portico"}
	_, err := r.Run(t.Context(), job, &child.Usage{})
	if got, final := reason(err); got != model.InternalMessage || final {
		t.Errorf("reason: got %q, final %v, want trouble of ours (%v)", got, final, err)
	}
}

func TestRun_passes_no_environment_to_the_child(t *testing.T) {
	t.Parallel()
	r, job := newRunner(t, "environment")
	_, err := r.Run(t.Context(), job, &child.Usage{})
	want := "GOMEMLIMIT=805306368 TMPDIR=" + job.WorkFolder + " TZ=UTC"
	if fault, ok := errors.AsType[*splat.InputError](err); !ok || fault.Message != want {
		t.Errorf("environment: got %v, want %q", err, want)
	}
}
