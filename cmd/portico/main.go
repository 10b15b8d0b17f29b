// Command portico is the server, its worker, and the operator's tools.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"portico/model"
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
	line, command, err := parse(args, os.Stdout)
	if err != nil || command == "" {
		return err
	}
	if line.LogFormat == "" && isTerminal(os.Stderr) {
		line.LogFormat = server.FormatText
	}
	logger := line.NewLogger(os.Stderr, line.level(command))
	server.RedirectLibraries(logger)
	c := call{line: line, command: command, in: os.Stdin, out: os.Stdout}
	return c.run(ctx, logger)
}

// collectLess lets the heap grow to five times what is in use before it is
// collected: that is a few megabytes, and Go's own factor of two would spend a
// good part of a busy server's time on keeping them few. GOGC decides when it is
// set.
func collectLess() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
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

// call is one command that is to be carried out.
type call struct {
	line    *commandLine
	command string // as kong names it, with its arguments' names
	in      io.Reader
	out     io.Writer
}

// run carries out the command, and closes what it opened. Errors of the long
// running commands go to their log.
func (c call) run(ctx context.Context, logger *slog.Logger) error {
	p := &server.Program{Config: c.line.Config, Logger: logger}
	err := errors.Join(c.carryOut(ctx, p), p.Close())
	if err != nil && c.line.isService(c.command) {
		logger.Error("ended", "error", err)
		return errLogged
	}
	return err
}

// carryOut finds the command by its name: kong would call methods by reflection,
// which no compiler checks.
func (c call) carryOut(ctx context.Context, p *server.Program) error {
	switch c.command {
	case "version":
		_, err := fmt.Fprintln(c.out, server.Version())
		return err
	case "serve":
		return p.Serve(ctx)
	case "worker":
		return p.Work(ctx)
	case "confinement":
		return c.line.Confinement.run(c)
	case "inspect <file>":
		return c.line.Inspect.run(ctx, c)
	case "convert <in> <out>":
		return c.line.Convert.run(ctx, c)
	}
	if err := p.OpenDatabase(ctx); err != nil {
		return err
	}
	ctx, _ = model.WithOrigin(ctx, model.Origin{Door: model.DoorCommand})
	switch c.command {
	case "user add <email>":
		return c.line.User.Add.run(ctx, p, c)
	case "user set <email>":
		return c.line.User.Set.run(ctx, p, c)
	case "user list":
		return c.line.User.List.run(ctx, p, c)
	case "audit":
		return c.line.Audit.run(ctx, p, c)
	}
	return nil // migrate: opening the database has done it
}

// isTerminal reports whether people read what is written.
func isTerminal(file *os.File) bool {
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
