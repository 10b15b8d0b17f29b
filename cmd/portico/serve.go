package main

import (
	"context"

	"portico/server"
)

// serveCommand is "portico serve".
type serveCommand struct{}

func (serveCommand) unattended() {}

// Run serves until ctx ends.
func (serveCommand) Run(ctx context.Context, c *call) error {
	return c.withProgram(func(p *server.Program) error { return p.Serve(ctx) })
}
