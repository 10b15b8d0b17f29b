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

// errLogged is an error that the log has already: whoever reads JSON from
// standard error gets nothing else.
var errLogged = errors.New("logged")

// run carries out the command line of this process: it is what the process has
// only one of, its signals, environment and standard streams.
func run(args []string) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	// Before anything else is done: what comes earlier than this ends the process
	// as it stands.
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	go obeySignals(signals, cancel)
	collectLess()
	unsetEmpty()
	line, parsed, err := parse(args, os.Stdout)
	if err != nil || parsed == nil {
		return err
	}
	if line.LogFormat == "" && isTerminal(os.Stderr) {
		line.LogFormat = server.FormatText
	}
	_, isService := parsed.Selected().Target.Addr().Interface().(unattended)
	logger := line.NewLogger(os.Stderr, level(slog.Level(line.LogLevel), isService))
	server.RedirectLibraries(logger)
	if isService {
		boundGarbage()
	}
	parsed.BindTo(ctx, (*context.Context)(nil))
	err = parsed.Run(&call{config: line.Config, logger: logger, in: os.Stdin, out: os.Stdout})
	if err != nil && isService {
		logger.Error("ended", "error", err)
		return errLogged
	}
	return err
}

// level returns the minimum level that a command logs. The commands for people are
// read by scripts too, which expect silence.
func level(configured slog.Level, isService bool) slog.Level {
	if isService {
		return configured
	}
	return max(configured, slog.LevelWarn)
}

// obeySignals stops the program at the first signal and ends it at the second:
// nobody has to wait for a stop that takes too long. The private Postgres then
// ends by itself. It is not left to the signal's default, which is to be ignored
// where a shell has started us in the background.
func obeySignals(signals <-chan os.Signal, stop context.CancelFunc) {
	<-signals
	stop()
	if second, ok := (<-signals).(syscall.Signal); ok {
		os.Exit(128 + int(second)) // as shells tell of it
	}
}

// isTerminal reports whether people read what is written.
func isTerminal(file *os.File) bool {
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
