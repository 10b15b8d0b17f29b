// Package subprocess runs a program of ours that reads captures in a process of its own, recognises
// that the program ran out of memory, and limits the memory of the program from inside. Packages
// worker/child and cmd/portico/spatial use it.
package subprocess

import (
	"errors"
	"fmt"
	"io"
	"os/exec"
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
	var text Excerpt
	cmd.Stderr = &text
	EndWithParent(cmd)
	err := OnOwnThread(cmd.Run)
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && (RefusedMemory(text.String()) || Killed(exit)) {
		return fmt.Errorf("%w: %w", ErrMemory, err)
	}
	if text := text.String(); text != "" {
		_, printed := fmt.Fprintln(stderr, text)
		return errors.Join(err, printed)
	}
	return err
}
