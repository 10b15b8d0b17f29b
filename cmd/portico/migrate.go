package main

import (
	"context"

	"portico/server"
)

type migrateCommand struct{}

// service implements service, although the command ends: it runs before the servers, and its log is
// read with theirs.
func (migrateCommand) service() {}

// Run opens the database. Opening it runs the migrations.
func (migrateCommand) Run(ctx context.Context, in *invocation) error {
	return in.withProgram(func(p *server.Program) error { return p.OpenDatabase(ctx) })
}
