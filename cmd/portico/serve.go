package main

import (
	"context"

	"portico/server"
)

type serveCommand struct{}

// service marks a command that runs until a signal and logs to standard error.
func (serveCommand) service() {}

// Run serves until ctx ends.
func (serveCommand) Run(ctx context.Context, in *invocation) error {
	return in.withProgram(func(p *server.Program) error { return p.Serve(ctx) })
}
