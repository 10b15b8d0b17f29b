// Package command is what every command gets and gives: the invocation with the settings and the
// streams of the process, the flags of a server to call, progress, JSON and exit codes. It knows no
// command.
package command

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"

	"portico/model"
	"portico/server"
	"portico/server/operator"
	"portico/server/settings"
)

// Service marks the commands that run until a signal, and migrate. They log what they do, including
// the error that stops them.
type Service interface{ Service() }

// Invocation is the input of every command besides its own flags: the settings, the log and the
// standard streams of the process.
type Invocation struct {
	Config settings.Config
	// Settings are the values of Config as texts, with their sources.
	Settings []*model.Setting
	// Logger writes to standard error: warnings only, unless the command is a Service.
	Logger *slog.Logger
	// In and Out are standard input and output. Results go to Out, and nothing else does, so that a
	// script can read them.
	In  io.Reader
	Out io.Writer
	// Terminal shows progress bars if it is a terminal. It is standard error, or in a supervised
	// process the descriptor spatial.TerminalFile.
	Terminal *os.File
	// Supervised reports whether this process is the child that does the work of a spatial
	// command (see package spatial).
	Supervised bool
}

// WithProgram calls work with a program that is not open yet, and closes the program afterwards.
func (c *Invocation) WithProgram(work func(*server.Program) error) error {
	p := &server.Program{Config: c.Config, Logger: c.Logger, Settings: c.Settings}
	return errors.Join(work(p), p.Close())
}

// WithOperator calls work with the database open, and closes it afterwards.
func (c *Invocation) WithOperator(ctx context.Context, work func(*operator.Operator) error) error {
	o, err := operator.Open(ctx, c.Config, c.Logger)
	if err != nil {
		return err
	}
	return errors.Join(work(o), o.Close())
}
