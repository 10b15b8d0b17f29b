package spatial

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

	"github.com/alecthomas/kong"

	"portico/cmd/portico/command"
	"portico/internal/subprocess"
	"portico/server/settings"
	"portico/splat"
)

// spatialFlags are the flags of the commands that read captures.
//
// Memory limits the writable memory of the child process that does the work (see
// subprocess.LimitMemory); 0 sets no limit.
type spatialFlags struct {
	JSON   bool          `help:"Print JSON lines: progress, then the result or the error."`
	Memory settings.Size `help:"Memory limit. Default: the memory of the machine." placeholder:"BYTES"`
}

// The default size of pictures in pixels.
const (
	pictureWidth  = 640
	pictureHeight = 400
)

// Vars returns the variables in the tags of the commands: the defaults of pictures.
func Vars() kong.Vars {
	return kong.Vars{"width": strconv.Itoa(pictureWidth), "height": strconv.Itoa(pictureHeight), "frames": strconv.Itoa(splat.DefaultFrames)}
}

// SupervisedVariable marks the child process that does the work of a spatial command. It has
// another prefix than settings, whose names commandline checks.
const SupervisedVariable = "SUPERVISED_PORTICO"

// TerminalFile is the file descriptor of the terminal in the child process. The standard error
// of the child is a pipe.
const TerminalFile = 3

// withMemoryLimit calls work within the memory limit, in a child process: a Go program that runs
// out of memory cannot report it, but its parent can. The parent also removes the temporary files
// that a killed child has left in outFolder; "" means no folder.
//
// The protocol between the two processes, which run the same command line:
//
//	environment   SupervisedVariable marks the child, TMPDIR is its own temporary folder
//	stdin, stdout  the streams of the parent, so that the child prints the result itself
//	stderr        a pipe to the parent, which reads the trace of a crash
//	descriptor 3  the terminal of the parent, for the progress bar
//	SIGTERM       the child stops cleanly; the parent sends it when ctx ends
//	exit code     as in package command; the parent exits with the same code
//
// The child is in its own process group (see subprocess.Supervise), so Ctrl-C reaches only the
// parent.
func (f *spatialFlags) withMemoryLimit(ctx context.Context, in *command.Invocation, outFolder string, work func(context.Context) error) error {
	if !in.Supervised {
		return f.supervise(ctx, in, outFolder)
	}
	if f.Memory > 0 {
		if err := subprocess.LimitMemory(int64(f.Memory)); err != nil {
			return fmt.Errorf("limit the memory: %w", err)
		}
	}
	err := work(ctx)
	// Without the name of the system call, which means nothing to people.
	if path, ok := errors.AsType[*fs.PathError](err); ok && errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: no such file", path.Path)
	}
	return err
}

// supervise runs this command again as a child process. It returns after the child has ended and
// its files are removed.
func (f *spatialFlags) supervise(ctx context.Context, in *command.Invocation, outFolder string) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	temporary, err := os.MkdirTemp("", "portico-")
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, program, os.Args[1:]...) //nolint:gosec // this program, called as it was
	// A child that runs out of memory is killed and removes nothing. The parent can remove
	// its temporary files, because they are in a folder of their own.
	cmd.Env = append(os.Environ(), SupervisedVariable+"=1", "TMPDIR="+temporary)
	cmd.Stdin, cmd.Stdout = in.In, in.Out
	// subprocess.Supervise reads standard error for the trace of a crash, so the child draws its
	// progress bar on another file descriptor.
	cmd.ExtraFiles = []*os.File{os.Stderr}
	// SIGTERM instead of the default SIGKILL, so that the child stops cleanly.
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	err = subprocess.Supervise(cmd, os.Stderr)
	removeErr := os.RemoveAll(temporary)
	if cmd.Process != nil && outFolder != "" {
		removeErr = errors.Join(removeErr, removeStaging(outFolder, cmd.Process.Pid))
	}
	exit, ok := errors.AsType[*exec.ExitError](err)
	switch {
	case errors.Is(err, subprocess.ErrMemory):
		err = &command.ExitError{Code: command.ExitMemory, Err: f.memoryError()}
	case ok:
		err = &command.ExitError{Code: max(exit.ExitCode(), command.ExitFailed), Err: command.ErrLogged} // the child has printed the error
	}
	return errors.Join(err, removeErr)
}

// memoryError returns the message for a conversion that ran out of memory.
func (f *spatialFlags) memoryError() error {
	if f.Memory > 0 {
		return fmt.Errorf("out of memory: the capture needs more than %d bytes; raise --memory, or use a smaller capture", int64(f.Memory))
	}
	return errors.New("out of memory: the capture needs more than the machine has free; use a machine with more memory, or a smaller capture")
}

// stagingPattern returns the name pattern of the folders in which the process with this id stages
// its results. The id keeps two conversions into the same folder from removing each other's files.
func stagingPattern(pid int) string { return ".portico-" + strconv.Itoa(pid) + "-*" }

// removeStaging removes the staging folders that a killed process has left in the folder.
func removeStaging(folder string, pid int) error {
	left, err := fs.Glob(os.DirFS(folder), stagingPattern(pid))
	for _, name := range left {
		err = errors.Join(err, os.RemoveAll(filepath.Join(folder, name)))
	}
	return err
}
