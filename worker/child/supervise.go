package child

import (
	"errors"
	"fmt"
	"io"
	"os/exec"
	"syscall"
)

// ErrMemory is the error of Supervise for a command that ran out of memory.
var ErrMemory = errors.New("out of memory")

// Supervise runs a command of portico that reads a capture at a shell. A Go program that runs
// out of memory crashes and prints the stacks of all goroutines. In this case Supervise drops
// the text on standard error and returns ErrMemory. In all other cases it writes the text to
// stderr when the command has ended, and returns the error of cmd.Run.
//
// The command has its own process group and ends with this process.
func Supervise(cmd *exec.Cmd, stderr io.Writer) error {
	var text excerpt
	cmd.Stderr = &text
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	dieWithParent(cmd.SysProcAttr)
	err := onOwnThread(cmd.Run)
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		ended, ok := errors.AsType[*Error](diagnose(exit, text.String()))
		if ok && ended.Reason == ReasonMemory {
			return fmt.Errorf("%w: %w", ErrMemory, err)
		}
	}
	if text := text.String(); text != "" {
		_, printed := fmt.Fprintln(stderr, text)
		return errors.Join(err, printed)
	}
	return err
}
