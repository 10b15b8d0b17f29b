package main

import (
	"context"

	"portico/server"
)

// workerCommand is "portico worker".
type workerCommand struct{}

func (workerCommand) unattended() {}

// Run works on jobs until ctx ends.
func (workerCommand) Run(ctx context.Context, c *call) error {
	return c.withProgram(func(p *server.Program) error { return p.Work(ctx) })
}
