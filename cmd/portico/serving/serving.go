// Package serving has the commands that run the server or describe it: serve, worker, migrate,
// health, settings and version.
package serving

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"portico/cmd/portico/command"
	"portico/server"
)

// ServeCommand is "portico serve". It runs the server, with workers inside.
type ServeCommand struct{}

// Service marks a command that runs until a signal and logs to standard error.
func (ServeCommand) Service() {}

// Run serves until ctx ends.
func (ServeCommand) Run(ctx context.Context, in *command.Invocation) error {
	return in.WithProgram(func(p *server.Program) error { return p.Serve(ctx) })
}

// WorkerCommand is "portico worker". It runs the jobs of a server elsewhere.
type WorkerCommand struct{}

// Service marks a command that runs until a signal and logs to standard error.
func (WorkerCommand) Service() {}

// Run works on jobs until ctx ends.
func (WorkerCommand) Run(ctx context.Context, in *command.Invocation) error {
	return in.WithProgram(func(p *server.Program) error { return p.Work(ctx) })
}

// MigrateCommand is "portico migrate". It creates or updates the tables.
type MigrateCommand struct{}

// Service implements command.Service, although the command ends: it runs before the servers, and its log is
// read with theirs.
func (MigrateCommand) Service() {}

// Run opens the database. Opening it runs the migrations.
func (MigrateCommand) Run(ctx context.Context, in *command.Invocation) error {
	return in.WithProgram(func(p *server.Program) error { return p.OpenDatabase(ctx) })
}

// VersionCommand is "portico version". It prints the version.
type VersionCommand struct{}

// Run prints the version of the build; it needs no settings.
func (VersionCommand) Run(_ context.Context, in *command.Invocation) error {
	_, err := fmt.Fprintln(in.Out, server.Version())
	return err
}

// SettingsCommand is "portico settings". It prints every setting with its value.
type SettingsCommand struct{}

// Run prints the settings that a server with the same environment would have.
func (SettingsCommand) Run(_ context.Context, in *command.Invocation) error {
	for _, setting := range in.Settings {
		if err := command.PrintJSON(in.Out, setting); err != nil {
			return err
		}
	}
	return nil
}

// HealthCommand is "portico health". It asks a running server whether it is ready.
type HealthCommand struct{}

// Run asks the server at the listen address of this environment whether it is ready, for health
// checks of containers that have no other program.
func (HealthCommand) Run(ctx context.Context, in *command.Invocation) error {
	const timeout = 5 * time.Second
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	host, port, err := net.SplitHostPort(in.Config.Addr)
	if err != nil {
		return err
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+net.JoinHostPort(host, port)+"/readyz", http.NoBody)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close() //nolint:errcheck // read only
	text, err := io.ReadAll(io.LimitReader(response.Body, 1<<10))
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("the server is not ready: %s", text)
	}
	_, err = in.Out.Write(text)
	return err
}
