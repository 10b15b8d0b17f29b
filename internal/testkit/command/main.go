package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// Main parses the arguments of this process, runs a command with the options, and exits. The exit
// code is 0 after success or a request for help, and 1 after an error, which Main prints to
// standard error. SIGINT and SIGTERM cancel the context. A command should remove its files before
// it returns, because Main exits immediately.
func Main[Options any](name string, parse func(args []string) (Options, error), run func(context.Context, Options) error) {
	options, err := parse(os.Args[1:])
	if err == nil {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		err = run(ctx, options)
		stop()
	}
	Exit(name, err)
}

// Exit exits like Main.
func Exit(name string, err error) {
	if err == nil || errors.Is(err, flag.ErrHelp) {
		os.Exit(0)
	}
	fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
	os.Exit(1)
}
