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

// main runs the command line and exits. It prints the error once, unless the log has it already.
func main() {
	if err := run(os.Args[1:]); err != nil {
		if !errors.Is(err, errLogged) {
			fmt.Fprintln(os.Stderr, "portico:", err)
		}
		os.Exit(exitCode(err))
	}
}

// errLogged replaces an error that was already logged or printed. main does not print it, so
// that standard error contains only the JSON of the log.
var errLogged = errors.New("logged")

// run executes the command line. It is the only function that uses the signals, the environment and
// the standard streams of the process. It returns the error of the command, or errLogged.
func run(args []string) error {
	// The context ends at the first signal. Commands return soon after, and remove their temporary
	// files.
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	// First, because a signal before signal.Notify kills the process without a clean stop.
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
	logger := line.NewLogger(os.Stderr, minLevel(slog.Level(line.LogLevel), isService))
	server.RedirectLibraries(logger)
	if isService {
		defer limitGarbage()()
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
		logger.Error("stopped by an error", "error", err)
		return errLogged
	}
	return err
}

// minLevel returns the minimum level that a command logs. Commands that are not services log
// warnings only, because scripts read their output.
func minLevel(configured slog.Level, isService bool) slog.Level {
	if isService {
		return configured
	}
	return max(configured, slog.LevelWarn)
}

// handleSignals calls stop at the first signal and exits at the second signal, for people who
// cannot wait for a clean stop. The private Postgres then stops on its own. Restoring the default
// action for the second signal would not be enough: a shell starts background processes with
// SIGINT ignored.
func handleSignals(signals <-chan os.Signal, stop context.CancelFunc) {
	<-signals
	stop()
	if second, ok := (<-signals).(syscall.Signal); ok {
		os.Exit(128 + int(second)) // the code that shells report
	}
}

func isTerminal(file *os.File) bool {
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
