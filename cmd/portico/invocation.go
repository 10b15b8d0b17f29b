package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"

	"portico/model"
	"portico/server"
)

// service marks the commands that run until a signal, and migrate. They log what they do, including
// the error that stops them.
type service interface{ service() }

// invocation is the input of every command besides its own flags: the settings, the log and the
// standard streams of the process.
type invocation struct {
	config server.Config
	// settings are the values of config as texts, with their sources.
	settings []*model.Setting
	// logger writes to standard error, at the level of minLevel.
	logger *slog.Logger
	// in and out are standard input and output. Results go to out, and nothing else does, so that a
	// script can read them.
	in  io.Reader
	out io.Writer
	// terminal shows progress bars if it is a terminal. It is standard error, or in a supervised
	// process the descriptor terminalFile.
	terminal *os.File
	// supervised reports whether this process is the child that does the work of a spatial
	// command (see withMemoryLimit).
	supervised bool
}

// withProgram calls work with a program that is not open yet, and closes the program afterwards.
func (c *invocation) withProgram(work func(*server.Program) error) error {
	p := &server.Program{Config: c.config, Logger: c.logger, Settings: c.settings}
	return errors.Join(work(p), p.Close())
}

// withOperator calls work with the database open, and closes it afterwards.
func (c *invocation) withOperator(ctx context.Context, work func(*server.Operator) error) error {
	o, err := server.OpenOperator(ctx, c.config, c.logger)
	if err != nil {
		return err
	}
	return errors.Join(work(o), o.Close())
}
