package worker

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

	"portico/model"
	"portico/splat"
	"portico/storage"
)

// parent is a worker that starts children and does nothing else.
func parent(t *testing.T, scripted string) (*Worker, childTask) {
	t.Helper()
	folder, err := newWorkFolder(t.TempDir(), "job")
	if err != nil {
		t.Fatalf("make the work folder: %v", err)
	}
	t.Cleanup(func() { _ = folder.remove() })
	in := filepath.Join(folder.path, "in.ply")
	if err := os.WriteFile(in, []byte("sss"), 0o600); err != nil {
		t.Fatalf("write: %v", err)
	}
	w := &Worker{Options: Options{Program: script(scripted), ChildMemory: 1 << 30, Logger: slog.New(slog.DiscardHandler)}}
	return w, childTask{
		subcommand: "inspect", args: []string{in}, folder: folder, limit: 20 * time.Second,
		report: func(float64, string) {},
	}
}

func TestRunChild_brings_the_result(t *testing.T) {
	t.Parallel()
	w, task := parent(t, "good")
	out := filepath.Join(task.folder.path, "out.sog")
	task.subcommand, task.args = "convert", []string{"--workers", "1", task.args[0], out}
	var said []string
	task.report = func(percent float64, message string) { said = append(said, fmt.Sprintf("%v %s", percent, message)) }
	var used usage
	got, err := w.runChild(t.Context(), task, &used)
	if err != nil {
		t.Fatalf("run: got %v, want nil", err)
	}
	if diff := cmp.Diff(&childResult{Facts: &model.FileFacts{Format: model.FormatPLY, Splats: 3}}, got); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"0 reading", "50 writing out.sog"}, said); diff != "" {
		t.Errorf("progress (-want +got):\n%s", diff)
	}
	if used.cpu <= 0 || used.peak < 1<<20 {
		t.Errorf("used: got %+v, want the time and memory of a process", used)
	}
}

// One row for each way in which a child can end.
func TestRunChild_tells_how_a_child_ended(t *testing.T) {
	t.Parallel()
	tests := []struct {
		script string
		told   string // what the user is told
		final  bool
		says   string // in the error for the log
	}{
		{"fault", `Entry "data.bin": is cut short`, true, ""},
		{"strange fault", "odd  " + strings.Repeat("x", longestText-5) + "...", true, ""},
		{"exits 2 silently", model.InternalMessage, false, "exit status 2"},
		{"no result", model.InternalMessage, false, "without a result"},
		{"two results", model.InternalMessage, false, "goes on after the result"},
		{"garbage", model.InternalMessage, false, "invalid character"},
		{"nothing in a line", model.InternalMessage, false, "says nothing"},
		{"huge line", model.InternalMessage, false, "longer than"},
		{"panic", model.InternalMessage, false, "panic: a bug"},
		{"trouble", model.InternalMessage, false, "no such flag"},
		{"disk full", "The server has no storage left for this file", true, "means_l.webp"},
		{"too large a file", toldTooLarge, true, "means_l.webp"},
		{"too much time", toldTooLong, true, "CPU"},
		{"out of memory", toldMemory, true, ""},
		{"out of memory while collecting", toldMemory, true, "SIGSEGV"},
		{"killed", toldMemory, false, "signal: killed"},
	}
	for _, test := range tests {
		t.Run(test.script, func(t *testing.T) {
			t.Parallel()
			w, task := parent(t, test.script)
			_, err := w.runChild(t.Context(), task, &usage{})
			got, final := judge(err)
			if got.reason != test.told || final != test.final {
				t.Errorf("verdict: got %q, final %v, want %q, final %v (%v)", got.reason, final, test.told, test.final, err)
			}
			if err == nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("error: got %v, want it to say %q", err, test.says)
			}
			if len(err.Error()) > 3*excerptHalf {
				t.Errorf("error: got %d bytes, want them bounded", len(err.Error()))
			}
		})
	}
}

func TestRunChild_ends_a_child(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, script string
		change       func(*childTask)
		told         string
	}{
		{"that is silent", "silent", func(c *childTask) { c.silence = 100 * time.Millisecond }, toldSilent},
		{"that takes too long", "slow", func(c *childTask) { c.limit = 500 * time.Millisecond }, toldTooLong},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w, task := parent(t, test.script)
			test.change(&task)
			_, err := w.runChild(t.Context(), task, &usage{})
			if child, ok := errors.AsType[*childError](err); !ok || child.told != test.told {
				t.Errorf("run: got %v, want %q", err, test.told)
			}
		})
	}
}

// A child that does not listen to SIGTERM, and talks all the time.
func TestRunChild_ends_with_its_context(t *testing.T) {
	t.Parallel()
	w, task := parent(t, "slow")
	task.silence = 10 * time.Second
	ctx, cancel := context.WithCancelCause(t.Context())
	var canceled time.Time
	task.report = func(float64, string) {
		if canceled.IsZero() {
			canceled = time.Now()
			cancel(errLost)
		}
	}
	_, err := w.runChild(ctx, task, &usage{})
	if !errors.Is(err, errLost) {
		t.Errorf("run: got %v, want %v", err, errLost)
	}
	if got := time.Since(canceled); got > time.Second {
		t.Errorf("ended after %v, want it at once", got)
	}
}

func TestRunChild_without_the_program(t *testing.T) {
	t.Parallel()
	w, task := parent(t, "good")
	w.Program = []string{"/nowhere/portico"}
	_, err := w.runChild(t.Context(), task, &usage{})
	if got, final := judge(err); got.reason != model.InternalMessage || final {
		t.Errorf("verdict: got %+v, final %v, want trouble of ours (%v)", got, final, err)
	}
}

func TestRunChild_passes_nothing_on(t *testing.T) {
	t.Parallel()
	w, task := parent(t, "environment")
	_, err := w.runChild(t.Context(), task, &usage{})
	want := "GOMEMLIMIT=805306368 TMPDIR=" + task.folder.path + " TZ=UTC"
	if fault, ok := errors.AsType[*splat.InputError](err); !ok || fault.Message != want {
		t.Errorf("environment: got %v, want %q", err, want)
	}
}

func TestJudge_of_a_full_disk_under_a_child(t *testing.T) {
	t.Parallel()
	if err := full(fmt.Errorf("write: %w", os.ErrPermission)); errors.Is(err, storage.ErrFull) {
		t.Errorf("full: got %v for something else", err)
	}
}
