package main

import (
	"context"
	"fmt"

	"portico/server"
)

// versionCommand is "portico version".
type versionCommand struct{}

// Run prints the version.
func (versionCommand) Run(_ context.Context, in *invocation) error {
	_, err := fmt.Fprintln(in.out, server.Version())
	return err
}
