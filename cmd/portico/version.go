package main

import (
	"context"
	"fmt"

	"portico/server"
)

// versionCommand is "portico version".
type versionCommand struct{}

// Run prints the version.
func (versionCommand) Run(_ context.Context, c *call) error {
	_, err := fmt.Fprintln(c.out, server.Version())
	return err
}
