package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"portico/cmd/portico/commandline"
	"portico/db/migrations"
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
	return migrations.Run(ctx, owner, application, slog.New(slog.DiscardHandler))
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// findLeaks serves until SIGTERM in a process of its own, because goroutines of tests would be
// mistaken for its own. It exits with 1 if the server fails or leaves a goroutine.
func findLeaks() {
	line, _, err := commandline.Parse([]string{"serve"}, os.Stdout)
	if err == nil {
		err = checkLeaks(&server.Program{Config: line.Config, Logger: slog.New(slog.NewJSONHandler(os.Stderr, nil))})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func checkLeaks(p *server.Program) error {
	stopped := make(chan os.Signal, 1)
	signal.Notify(stopped, syscall.SIGTERM)
	before := goleak.IgnoreCurrent()
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		<-stopped
		cancel()
	}()
	if err := errors.Join(p.Serve(ctx), p.Close()); err != nil {
		return err
	}
	return leak.Find(before)
}
