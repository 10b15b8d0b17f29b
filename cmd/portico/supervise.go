package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"

	"portico/worker/child"
	"portico/worker/sandbox"
)

// supervisedVariable marks the process that does the work of a spatial command. It is no
// setting, so it has another prefix.
const supervisedVariable = "SUPERVISED_PORTICO"

// terminalFile is the descriptor of the terminal in that process, whose standard error is
// a pipe.
const terminalFile = 3

// withLimits calls work within the memory limit, in a process of its own: a Go program that
// runs out of memory cannot report it. The parent does, and removes the temporary files that
// the process has left in outFolder, if one is given. A missing file is an error of one line,
// without the name of the system call.
func (f *spatialFlags) withLimits(ctx context.Context, in *invocation, outFolder string, work func(context.Context) error) error {
	if !in.supervised {
		return f.supervise(ctx, in, outFolder)
	}
	if f.Memory > 0 {
		if err := sandbox.LimitMemory(int64(f.Memory)); err != nil {
			return fmt.Errorf("limit the memory: %w", err)
		}
	}
	err := work(ctx)
	if path, ok := errors.AsType[*fs.PathError](err); ok && errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: no such file", path.Path)
	}
	return err
}

// supervise runs this command again as a child process.
func (f *spatialFlags) supervise(ctx context.Context, in *invocation, outFolder string) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	temporary, err := os.MkdirTemp("", "portico-")
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, program, os.Args[1:]...) //nolint:gosec // this program, called as it was
	// A process that runs out of memory is killed and cleans nothing up. With a temporary
	// folder of its own the parent can do so.
	cmd.Env = append(os.Environ(), supervisedVariable+"=1", "TMPDIR="+temporary)
	cmd.Stdin, cmd.Stdout = in.in, in.out
	// Its standard error is read for the trace of a crash, so it draws its progress on
	// another descriptor.
	cmd.ExtraFiles = []*os.File{os.Stderr}
	// The child stops as this process does at its first signal, and cleans up.
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	err = child.Supervise(cmd, os.Stderr)
	removed := os.RemoveAll(temporary)
	if cmd.Process != nil && outFolder != "" {
		removed = errors.Join(removed, removeStaging(outFolder, cmd.Process.Pid))
	}
	exit, ok := errors.AsType[*exec.ExitError](err)
	switch {
	case errors.Is(err, child.ErrMemory):
		err = &exitError{code: exitMemory, err: f.memoryError()}
	case ok:
		err = &exitError{code: max(exit.ExitCode(), exitFailed), err: errLogged} // the child has printed it
	}
	return errors.Join(err, removed)
}

// memoryError returns the message for a conversion that ran out of memory.
func (f *spatialFlags) memoryError() error {
	if f.Memory > 0 {
		return fmt.Errorf("out of memory: the capture needs more than %d bytes; raise --memory, or use a smaller capture", int64(f.Memory))
	}
	return errors.New("out of memory: the capture needs more than the machine has free; use a machine with more memory, or a smaller capture")
}

// stagingPattern returns the pattern for the names of the folders in which the process
// stages results.
func stagingPattern(pid int) string { return ".portico-" + strconv.Itoa(pid) + "-*" }

// removeStaging removes what a process that was killed has staged in the folder.
func removeStaging(folder string, pid int) error {
	left, err := filepath.Glob(filepath.Join(folder, stagingPattern(pid)))
	for _, path := range left {
		err = errors.Join(err, os.RemoveAll(path))
	}
	return err
}
