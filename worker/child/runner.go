// Package child is the process that reads and writes captures for a worker, and the
// protocol between the two. A hostile file can crash or exhaust that process, and the
// server goes on.
//
// The worker's side is Runner: it starts portico with one Request as its argument,
// reads JSON lines from its standard output, and kills it when it takes too long. The
// child's side is Serve: it opens the input, gives up everything that it does not need
// (package sandbox), and only then reads a byte of the file. Packages worker and
// cmd/portico use this one.
package child

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"syscall"
	"time"

	"portico/worker/sandbox"
)

// Runner starts children and waits for them.
type Runner struct {
	// Program is the command that understands Command, with its first arguments:
	// portico itself.
	Program []string
	// Memory is the limit of each child's memory, in bytes.
	Memory int64
	Logger *slog.Logger

	// confinement is what FindConfinement has found.
	confinement confinement
}

// Job is a request with what its parent does while the child works.
type Job struct {
	// Request is the request, without its Memory, CPU and Measures, which the runner
	// knows.
	Request Request
	// Dir is the child's current folder and the one for its temporary files.
	Dir string
	// Lock is inherited by the child, so that the file stays locked until both
	// processes have ended; nil for none.
	Lock *os.File
	// Timeout is how long the child may take.
	Timeout time.Duration
	// Silence is how long the child may print nothing; 0 is as long as Timeout.
	Silence time.Duration
	// Progress is called with percentages of the child's own work.
	Progress func(percent float64, message string)
}

// Run carries out a job in a child and adds to used what it took. The error is a
// *splat.InputError for a fault in the user's file, an *Error if the child did not
// end well, or the end of ctx.
//
// The child is killed when ctx ends. It cleans up nothing: its folder is removed.
func (r *Runner) Run(ctx context.Context, job Job, used *Usage) (*Result, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	ctx, cancel := context.WithTimeoutCause(ctx, job.Timeout, errTimeout)
	defer cancel()
	silence := job.Silence
	if silence == 0 {
		silence = job.Timeout
	}
	silent := time.AfterFunc(silence, func() { stop(errSilent) })
	defer silent.Stop()

	request := job.Request
	request.Memory, request.Measures = r.Memory, r.confinement.measures
	request.CPU = job.Timeout * time.Duration(max(1, request.Workers))
	cmd, err := r.command(ctx, job.Dir, request)
	if err != nil {
		return nil, err
	}
	if job.Lock != nil {
		cmd.ExtraFiles = []*os.File{job.Lock}
	}
	if r.confinement.has(sandbox.Network) {
		sandbox.Separate(cmd.SysProcAttr)
	}
	out := &output{progress: job.Progress, stop: stop, alive: func() { silent.Reset(silence) }}
	var complaints excerpt
	cmd.Stdout, cmd.Stderr = out, &complaints
	err = runOnOwnThread(cmd)
	used.add(cmd.ProcessState)
	if err = outcome(ctx, err, out, complaints.String()); err != nil {
		return nil, fmt.Errorf("%s: %w", request.Task, err)
	}
	return out.result, nil
}

// command returns a child that works in the folder, not started yet.
func (r *Runner) command(ctx context.Context, dir string, request Request) (*exec.Cmd, error) {
	encoded, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	args := append(slices.Clone(r.Program[1:]), Command, string(encoded))
	cmd := exec.CommandContext(ctx, r.Program[0], args...)
	cmd.Dir = dir
	// The server's environment holds secrets. Go collects garbage harder before the
	// child reaches its limit.
	cmd.Env = []string{"GOMEMLIMIT=" + strconv.FormatInt(r.Memory/4*3, 10), "TMPDIR=" + dir, "TZ=UTC"}
	// A process group of its own, so that Ctrl-C reaches the server first.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	dieWithParent(cmd.SysProcAttr)
	// How long to wait for the pipes of a child that has ended.
	cmd.WaitDelay = time.Second
	return cmd, nil
}

// The causes for which a runner stops a child.
var (
	errTimeout = errors.New("it took too long")
	errSilent  = errors.New("it gave no sign of life")
)
