package worker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"syscall"
	"time"

	"portico/worker/sandbox"
)

// childTask is one thing for a child to do.
type childTask struct {
	// subcommand is what it is to do, to what args say.
	subcommand string
	args       []string
	// whole says that the files beside the input belong to it.
	whole bool
	// workers is how many processors it may use.
	workers int
	// largest is the size that no file which it makes may exceed, in bytes.
	largest int64
	// folder is where it works.
	folder *workFolder
	// limit is the longest that it may take.
	limit time.Duration
	// silence is how long it may say nothing; 0 is as long as limit.
	silence time.Duration
	// report is told how far it has come: percentages of the child's own work.
	report func(percent float64, message string)
}

// usage is what children have taken from the machine.
type usage struct {
	// cpu is their time on processors, user and system.
	cpu time.Duration
	// peak is the most memory that one of them had, in bytes. Linux counts from
	// before the program is loaded: it is never less than what the server had.
	peak int64
}

// add counts a child that has ended.
func (u *usage) add(state *os.ProcessState) {
	if state == nil {
		return // it was not started
	}
	u.cpu += state.UserTime() + state.SystemTime()
	if of, ok := state.SysUsage().(*syscall.Rusage); ok {
		u.peak = max(u.peak, of.Maxrss*rssUnit)
	}
}

// attributes are for the log's line of a job; none where no child was needed.
func (u *usage) attributes() []any {
	if *u == (usage{}) {
		return nil
	}
	return []any{"child_cpu", u.cpu, "child_peak_mb", u.peak >> 20}
}

// runChild carries out a task in a process of its own: what a hostile file does
// to that process ends the process, and this one goes on. The error is a
// *splat.InputError for a fault in the user's file, a *childError where the
// child did not end well, or the end of ctx.
//
// The child is killed when ctx ends. It need not be asked to stop: it cleans up
// nothing, since its folder is removed.
func (w *Worker) runChild(ctx context.Context, task childTask, used *usage) (*childResult, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	ctx, cancel := context.WithTimeoutCause(ctx, task.limit, errChildTooLong)
	defer cancel()
	silence := task.silence
	if silence == 0 {
		silence = task.limit
	}
	silent := time.AfterFunc(silence, func() { stop(errChildSilent) })
	defer silent.Stop()

	said := &childOutput{report: task.report, stop: stop, alive: func() { silent.Reset(silence) }}
	var complaints excerpt
	cmd := w.command(ctx, task.folder, append(w.flags(task), task.args...)...)
	cmd.Stdout, cmd.Stderr = said, &complaints
	if w.confined.has(sandbox.Network) {
		sandbox.Separate(cmd.SysProcAttr)
	}
	err := live(cmd)
	used.add(cmd.ProcessState)
	if err = childEnd(ctx, err, said, complaints.String()); err != nil {
		return nil, fmt.Errorf("%s: %w", task.subcommand, err)
	}
	return said.result, nil
}

// flags are the first arguments of a child: what it is to do, and within which
// limits.
func (w *Worker) flags(task childTask) []string {
	flags := []string{
		task.subcommand, "--json", "--memory", strconv.FormatInt(w.ChildMemory, 10),
		"--confine", w.confined.flag(), "--cpu", (task.limit * time.Duration(task.workers)).String(),
		"--file-size", strconv.FormatInt(task.largest, 10),
	}
	if task.whole {
		flags = append(flags, "--whole")
	}
	return flags
}

// command returns a child that works in the folder, not started yet.
func (w *Worker) command(ctx context.Context, folder *workFolder, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, w.Program[0], append(slices.Clone(w.Program[1:]), args...)...)
	cmd.Dir = folder.path
	// Ours holds secrets. Go collects its garbage harder before the child's own
	// limit ends it.
	cmd.Env = []string{"GOMEMLIMIT=" + strconv.FormatInt(w.ChildMemory/4*3, 10), "TMPDIR=" + folder.path, "TZ=UTC"}
	// The folder's lock: nobody takes the folder for a leftover before both of
	// us have ended.
	cmd.ExtraFiles = []*os.File{folder.lock}
	// A group of its own, so that Ctrl-C reaches us first.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	dieWithParent(cmd.SysProcAttr)
	// How long the pipes of a child that has ended are waited for.
	cmd.WaitDelay = time.Second
	return cmd
}

// live starts the child and returns when it has ended, with the error of that. It
// does so on a thread of its own, which ends with the child: a thread that was
// slowed down cannot be made faster again, and Linux takes the end of the thread
// that forked for the end of the parent.
func live(cmd *exec.Cmd) error {
	ended := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked: see above
		yield()
		err := cmd.Start()
		if err == nil {
			offer(cmd.Process.Pid)
			err = cmd.Wait()
		}
		ended <- err
	}()
	return <-ended
}

// Why a child is stopped.
var (
	errChildTooLong = errors.New("it took too long")
	errChildSilent  = errors.New("it gave no sign of life")
)
