// Package commandline has all commands and settings of the program in one struct, from which kong
// makes the flags and the help, and runs the command that the arguments name. It is the only package
// that imports those of the commands, and no other package than main imports it.
package commandline

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"

	"portico/cmd/portico/command"
	"portico/cmd/portico/spatial"
	"portico/server/settings"
)

// Run executes the command line and returns the exit code. It prints the error once, unless the log
// has it already.
func Run(args []string) int {
	err := run(args)
	if err == nil {
		return 0
	}
	if !errors.Is(err, command.ErrLogged) {
		fmt.Fprintln(os.Stderr, "portico:", err)
	}
	return command.ExitCode(err)
}

// run executes the command line. It is the only function that uses the signals, the environment and
// the standard streams of the process. It returns the error of the command, or command.ErrLogged.
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
	line, parsed, err := Parse(args, os.Stdout)
	if err != nil || parsed == nil {
		return err
	}
	if line.LogFormat == "" && command.IsTerminal(os.Stderr) {
		line.LogFormat = settings.FormatText
	}
	_, isService := parsed.Selected().Target.Addr().Interface().(command.Service)
	logger := line.NewLogger(os.Stderr, minLevel(slog.Level(line.LogLevel), isService))
	settings.RedirectLibraries(logger)
	if isService {
		defer limitGarbage()()
	}
	parsed.BindTo(ctx, (*context.Context)(nil))
	in := &command.Invocation{
		Config: line.Config, Settings: settingsOf(parsed), Logger: logger, In: os.Stdin, Out: os.Stdout, Terminal: os.Stderr,
	}
	if in.Supervised = os.Getenv(spatial.SupervisedVariable) != ""; in.Supervised {
		in.Terminal = os.NewFile(spatial.TerminalFile, "terminal")
	}
	err = parsed.Run(in)
	if err != nil && isService {
		logger.Error("stopped by an error", "error", err)
		return command.ErrLogged
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

const (
	// smallHeapPercent is how far the heap of a short command may grow before a collection. With
	// Go's default of 100 %, much of its time goes into collecting a few megabytes.
	smallHeapPercent = 400
	// servicePercent is how far the heap of a long-running command may grow, its ballast included.
	servicePercent = 50
	// ballastSize is how many bytes the collector counts as in use that are not.
	ballastSize = 64 << 20
)

// relaxCollector lets the heap of every command grow by smallHeapPercent. It does nothing when
// GOGC is set.
func relaxCollector() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(smallHeapPercent)
	}
}

// limitGarbage keeps the garbage of a long-running command below half of what it uses and 32 MiB.
// At smallHeapPercent, a few large responses or password hashes would leave hundreds of megabytes.
// It returns what the caller keeps until its end: memory that is never written, which the system
// does not provide. It does nothing when GOGC or GOMEMLIMIT is set, which counts such memory.
func limitGarbage() (release func()) {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return func() {}
	}
	ballast := make([]byte, ballastSize)
	debug.SetGCPercent(servicePercent)
	return func() { runtime.KeepAlive(ballast) }
}
