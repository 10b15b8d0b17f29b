package main

import (
	"context"

	"portico/server"
)

type workerCommand struct{}

// service marks a command that runs until a signal and logs to standard error.
func (workerCommand) service() {}

// Run works on jobs until ctx ends.
func (workerCommand) Run(ctx context.Context, in *invocation) error {
	return in.withProgram(func(p *server.Program) error { return p.Work(ctx) })
}
