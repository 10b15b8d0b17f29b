package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"testing"

	"go.uber.org/goleak"

	"portico/db"
	"portico/internal/testkit/leak"
	"portico/internal/testkit/postgres"
	"portico/server"
	"portico/worker/child"
)

// The variables that make the test binary something else.
const (
	beProgram = "TEST_PORTICO_MAIN"  // the program itself
	beLeaky   = "TEST_PORTICO_LEAKS" // one that looks for what Program leaves running
)

func TestMain(m *testing.M) {
	switch {
	case os.Getenv(beProgram) != "" || isChild(os.Args):
		main()
	case os.Getenv(beLeaky) != "":
		findLeaks()
	default:
		// They mostly wait for other processes, not for a core.
		flag.Parse()
		if err := flag.Set("test.parallel", "8"); err != nil {
			panic(err)
		}
		postgres.Main(m)
	}
}

// isChild reports whether a worker has started this process, in an environment
// without the variables, to convert something.
func isChild(args []string) bool {
	return len(args) > 1 && args[1] == child.Command
}

func migrate(ctx context.Context, owner, application string) error {
	return db.Migrate(ctx, owner, application, slog.New(slog.DiscardHandler))
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// findLeaks opens, runs and closes a Program, and exits with 1 if a goroutine is
// left.
func findLeaks() {
	line, _, err := parse([]string{"serve"}, os.Stdout)
	if err == nil {
		err = leaks(&server.Program{Config: line.Config, Logger: slog.New(slog.DiscardHandler)})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func leaks(p *server.Program) error {
	before := goleak.IgnoreCurrent()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if err := p.Listen(ctx); err != nil {
		return err
	}
	if err := p.Open(ctx); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- p.Run(ctx) }()
	if err := probe(p.BaseURL() + "/readyz"); err != nil {
		return err
	}
	cancel()
	if err := <-ended; err != nil {
		return err
	}
	if err := p.Close(); err != nil {
		return err
	}
	return leak.Find(before)
}
