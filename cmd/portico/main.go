// Command portico is the server, its worker, and the operator's tools.
package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"portico/server"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		if !errors.Is(err, errLogged) {
			fmt.Fprintln(os.Stderr, "portico:", err)
		}
		os.Exit(exitCode(err))
	}
}

// errLogged stands for an error that is in the log already. Programs that read JSON from
// standard error must get nothing else.
var errLogged = errors.New("logged")

// run executes the command line. Only run uses what the process has once: its signals, its
// environment and its standard streams.
func run(args []string) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	// First of all: a signal before this line ends the process at once.
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	go handleSignals(signals, cancel)
	relaxCollector()
	unsetEmpty()
	line, parsed, err := parse(args, os.Stdout)
	if err != nil || parsed == nil {
		return err
	}
	if line.LogFormat == "" && isTerminal(os.Stderr) {
		line.LogFormat = server.FormatText
	}
	_, isService := parsed.Selected().Target.Addr().Interface().(service)
	logger := line.NewLogger(os.Stderr, level(slog.Level(line.LogLevel), isService))
	server.RedirectLibraries(logger)
	if isService {
		boundGarbage()
	}
	parsed.BindTo(ctx, (*context.Context)(nil))
	in := &invocation{
		config: line.Config, settings: settingsOf(parsed), logger: logger, in: os.Stdin, out: os.Stdout, terminal: os.Stderr,
	}
	if in.supervised = os.Getenv(supervisedVariable) != ""; in.supervised {
		in.terminal = os.NewFile(terminalFile, "terminal")
	}
	err = parsed.Run(in)
	if err != nil && isService {
		logger.Error("ended", "error", err)
		return errLogged
	}
	return err
}

// level returns the minimum level that a command logs. Scripts read the output of the
// commands that are no services, and expect no log lines.
func level(configured slog.Level, isService bool) slog.Level {
	if isService {
		return configured
	}
	return max(configured, slog.LevelWarn)
}

// handleSignals stops the program at the first signal and ends it at the second, for people
// who cannot wait for the stop. The private Postgres then ends by itself. The default action
// of the second signal would not do: a shell lets background processes ignore SIGINT.
func handleSignals(signals <-chan os.Signal, stop context.CancelFunc) {
	<-signals
	stop()
	if second, ok := (<-signals).(syscall.Signal); ok {
		os.Exit(128 + int(second)) // the code that shells report
	}
}

// isTerminal reports whether the file is a terminal.
func isTerminal(file *os.File) bool {
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
