package main

import (
	"context"
	"errors"
	"io"
	"log/slog"

	"portico/server"
)

// unattended marks commands that no person watches: they log what they do, and the
// error that ends them.
type unattended interface{ unattended() }

// call is what a command gets from its process, besides its own flags.
type call struct {
	config server.Config
	logger *slog.Logger
	in     io.Reader
	out    io.Writer
}

// withProgram runs the work with a program that has opened nothing yet, and closes what
// the work opened.
func (c *call) withProgram(work func(*server.Program) error) error {
	p := &server.Program{Config: c.config, Logger: c.logger}
	return errors.Join(work(p), p.Close())
}

// withOperator runs the work with the database open.
func (c *call) withOperator(ctx context.Context, work func(*server.Operator) error) error {
	o, err := server.OpenOperator(ctx, c.config, c.logger)
	if err != nil {
		return err
	}
	return errors.Join(work(o), o.Close())
}
