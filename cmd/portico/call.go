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

// openOperator is one of package server's functions that open the database.
type openOperator func(context.Context, server.Config, *slog.Logger) (*server.Operator, error)

// withOperator runs the work with the database open.
func (c *call) withOperator(ctx context.Context, open openOperator, work func(*server.Operator) error) error {
	o, err := open(ctx, c.config, c.logger)
	if err != nil {
		return err
	}
	return errors.Join(work(o), o.Close())
}
