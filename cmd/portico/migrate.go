package main

import (
	"context"

	"portico/server"
)

// migrateCommand is "portico migrate".
type migrateCommand struct{}

func (migrateCommand) unattended() {}

// Run opens the database, which brings it up to date.
func (migrateCommand) Run(ctx context.Context, c *call) error {
	return c.withProgram(func(p *server.Program) error { return p.OpenDatabase(ctx) })
}
