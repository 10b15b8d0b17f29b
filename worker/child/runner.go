// Package child runs the process that reads and writes captures for a worker, and defines the
// protocol between the two. A hostile file can crash or exhaust that process without harm to
// the server.
//
// The worker's side is Runner: it starts portico with one Request as its argument,
// reads JSON lines from its standard output, and kills it when it takes too long. The
// child's side is Serve: it opens the input, gives up all rights that it does not need
// (package sandbox), and only then reads the file. Packages worker and server use this package.
package child

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"sync"
	"time"

	"portico/internal/subprocess"
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

	// confinement is the result of FindConfinement.
	confinement confinement
}

// Job is a request, and the limits and callbacks of the parent.
type Job struct {
	// Request is sent to the child. The runner sets its Memory, CPU and Measures.
	Request Request
	// WorkFolder is the child's working directory and its folder for temporary files.
	WorkFolder string
	// Lock is an open and locked file that the child inherits, so that it stays locked until
	// both processes have ended. Nil means none.
	Lock *os.File
	// Timeout is how long the child may take.
	Timeout time.Duration
	// SilenceTimeout is how long the child may print nothing while it has a processor; 0
	// means Timeout.
	SilenceTimeout time.Duration
	// Progress is called with the percentage of the child's own work. It must not be nil.
	Progress func(percent float64, message string)
}

// Run carries out a job in a child and adds the child's usage to used. The error is a
// *splat.InputError for a fault in the user's file, an *Error if the child failed, or the
// cause of ctx.
//
// Run kills the child when ctx ends. A killed child leaves files behind: the caller removes
// the folder.
//
// It returns after the child has ended and no goroutine of it is left. It may be called
// concurrently.
func (r *Runner) Run(ctx context.Context, job Job, used *Usage) (*Result, error) {
	var watching sync.WaitGroup
	defer watching.Wait()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	ctx, cancel := context.WithTimeoutCause(ctx, job.Timeout, errTimeout)
	defer cancel()
	silent := &silence{limit: cmp.Or(job.SilenceTimeout, job.Timeout)}

	request := job.Request
	request.Memory, request.Measures = r.Memory, r.confinement.measures
	request.CPU = job.Timeout * time.Duration(max(1, request.Workers)) // all threads count
	cmd, err := r.command(ctx, job.WorkFolder, request)
	if err != nil {
		return nil, err
	}
	if job.Lock != nil {
		cmd.ExtraFiles = []*os.File{job.Lock}
	}
	if r.confinement.has(sandbox.Network) {
		sandbox.Separate(cmd.SysProcAttr)
	}
	out := &output{progress: job.Progress, stop: stop, onLine: silent.reset}
	var stderr subprocess.Excerpt
	cmd.Stdout, cmd.Stderr = out, &stderr
	err = runOnOwnThread(cmd, func(pid int) {
		watching.Go(func() {
			silent.watch(ctx, func() time.Duration { return waitedForProcessor(pid) }, func() { stop(errSilent) })
		})
	})
	used.add(cmd.ProcessState)
	if err = result(ctx, err, out, stderr.String()); err != nil {
		return nil, fmt.Errorf("%s: %w", request.Task, err)
	}
	return out.result, nil
}

// command returns the command of a child that works in the folder. It is not started.
func (r *Runner) command(ctx context.Context, folder string, request Request) (*exec.Cmd, error) {
	encoded, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	args := append(slices.Clone(r.Program[1:]), Command, string(encoded))
	cmd := exec.CommandContext(ctx, r.Program[0], args...)
	cmd.Dir = folder
	// The child does not get the server's environment, which contains secrets. GOMEMLIMIT makes
	// Go collect garbage more often before the child reaches its limit.
	cmd.Env = []string{"GOMEMLIMIT=" + strconv.FormatInt(r.Memory/4*3, 10), "TMPDIR=" + folder, "TZ=UTC"}
	subprocess.EndWithParent(cmd) // the server stops the child, not Ctrl-C
	// Another process may keep the pipes open after the child has ended.
	cmd.WaitDelay = time.Second
	return cmd, nil
}

// The causes with which a runner stops a child.
var (
	errTimeout = errors.New("the child took too long")
	errSilent  = errors.New("the child printed nothing for too long")
)
