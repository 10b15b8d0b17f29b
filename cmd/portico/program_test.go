package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"testing"

	"portico/internal/testkit/postgres"
	"portico/server"
)

// runProgram runs the server in this process, over a database of its own.
func runProgram(t *testing.T, flags ...string) *server.Program {
	t.Helper()
	line, _, err := parse(append([]string{
		"serve", "--addr=127.0.0.1:0", "--data-dir=" + t.TempDir(), "--database-url=" + postgres.URL(t, migrate),
		"--max-file-size=5MB", "--rate-limits=off",
	}, flags...), io.Discard)
	check(t, err)
	p := &server.Program{Config: line.Config, Logger: slog.New(slog.DiscardHandler)}
	check(t, p.Listen(t.Context()))
	check(t, p.Open(t.Context()))
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- p.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		check(t, errors.Join(<-ended, p.Close()))
	})
	return p
}
