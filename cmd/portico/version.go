package main

import (
	"context"
	"fmt"

	"portico/server"
)

type versionCommand struct{}

// Run prints the version of the build; it needs no settings.
func (versionCommand) Run(_ context.Context, in *invocation) error {
	_, err := fmt.Fprintln(in.out, server.Version())
	return err
}
