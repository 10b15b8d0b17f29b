package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// options are the command line.
type options struct {
	datasets   []dataset
	rounds     int
	iterations int    // of splat-transform's harmonics
	skipNode   bool   // measure Portico alone
	keep       string // folder for captures and results; empty for a temporary one
	source     string // the module's folder, where Portico is built
}

// main compares, unless this process is a child that measures.
func main() {
	// A child of ours is told by its first argument that it is to measure another.
	if report, command, ok := inChild(); ok {
		exit(measureChild(report, command))
	}
	o, err := parseOptions(os.Args[1:])
	if err != nil {
		exit(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	exit(run(ctx, o))
}

// exit ends the program; the errors of several things are one line each.
func exit(err error) {
	if err == nil || errors.Is(err, flag.ErrHelp) {
		os.Exit(0)
	}
	fmt.Fprintln(os.Stderr, "splatbench:", err)
	os.Exit(1)
}

// parseOptions reads the command line. Captures that are named are compared even in
// a quick run.
func parseOptions(args []string) (options, error) {
	var o options
	var only string
	var quick bool
	set := flag.NewFlagSet("splatbench", flag.ContinueOnError)
	set.BoolVar(&quick, "quick", false, "leave out the large captures")
	set.StringVar(&only, "only", "", "captures, of "+strings.Join(datasetNames(), ", "))
	set.IntVar(&o.rounds, "rounds", 1, "conversions of each; the one in the middle counts")
	set.IntVar(&o.iterations, "iterations", 1, "iterations of splat-transform for harmonics; its own default is 10")
	set.BoolVar(&o.skipNode, "skip-node", false, "measure Portico alone")
	set.StringVar(&o.keep, "keep", "", "keep the captures and what was made of them in this folder")
	set.StringVar(&o.source, "source", ".", "folder of the module whose Portico is measured")
	if err := set.Parse(args); err != nil {
		return o, err
	}
	if o.rounds < 1 || o.iterations < 1 {
		return o, errors.New("-rounds and -iterations must be at least 1")
	}
	var names []string
	if only != "" {
		names = strings.Split(only, ",")
	}
	for _, name := range names {
		if !slices.Contains(datasetNames(), name) {
			return o, fmt.Errorf("-only: there is no capture %q", name)
		}
	}
	for _, d := range datasets() {
		if len(names) == 0 && (!quick || !d.large) || slices.Contains(names, d.name) {
			o.datasets = append(o.datasets, d)
		}
	}
	return o, nil
}

// world is what all comparisons share.
type world struct {
	options
	folder     string
	contenders []contender // Portico last
	transform  *transform  // nil where splat-transform cannot run
}

// run compares, and leaves nothing behind that was not asked for.
func run(ctx context.Context, o options) (err error) {
	w := world{options: o, folder: o.keep}
	if w.folder == "" {
		if w.folder, err = os.MkdirTemp("", "portico-splatbench-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(w.folder)) }()
	}
	// Children are started in other folders.
	if w.folder, err = filepath.Abs(w.folder); err != nil {
		return err
	}
	if err := os.MkdirAll(w.folder, 0o755); err != nil {
		return err
	}
	if err := w.prepare(ctx); err != nil {
		return err
	}
	for _, d := range o.datasets {
		c, err := w.compare(ctx, d)
		if err != nil {
			return fmt.Errorf("%s: %w", d.name, err)
		}
		if err := printComparison(os.Stdout, c); err != nil {
			return err
		}
	}
	return nil
}

// prepare builds Portico and looks for splat-transform.
func (w *world) prepare(ctx context.Context) error {
	if !w.skipNode {
		found, err := findTransform(ctx)
		if err != nil {
			fmt.Fprintf(os.Stderr, "splat-transform is not compared with: %v\n", err)
		} else {
			w.transform = found
			w.contenders = append(w.contenders, found.contender(w.iterations))
		}
	}
	portico, err := buildPortico(ctx, w.folder, w.source)
	w.contenders = append(w.contenders, portico)
	return err
}
