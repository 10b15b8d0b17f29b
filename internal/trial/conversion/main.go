package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"portico/internal/testkit/command"
)

// options are the options of the command line.
type options struct {
	datasets   []dataset
	rounds     int
	iterations int    // of splat-transform's harmonics
	skipNode   bool   // measure Portico alone
	levels     string // PLY or LCC files whose levels are compared instead of the datasets
	keep       string // folder for captures and results; empty means a temporary folder
	source     string // folder of the module that is built
}

// main runs the comparison, or measures a command if this process is a child of measure.
func main() {
	if report, measured, ok := childArguments(); ok {
		command.Exit("conversion", measureChild(report, measured))
	}
	command.Main("conversion", parseOptions, run)
}

// parseOptions parses the command line. Captures named by -only are compared even with
// -quick.
func parseOptions(args []string) (options, error) {
	var o options
	var only string
	var quick bool
	set := flag.NewFlagSet("conversion", flag.ContinueOnError)
	set.BoolVar(&quick, "quick", false, "skip the large captures")
	set.StringVar(&only, "only", "", "captures to compare, separated by commas: "+strings.Join(datasetNames(), ", "))
	set.IntVar(&o.rounds, "rounds", 1, "number of conversions; the report shows the median")
	set.IntVar(&o.iterations, "iterations", 1, "iterations of splat-transform for harmonics; its own default is 10")
	set.BoolVar(&o.skipNode, "skip-node", false, "measure Portico alone")
	set.StringVar(&o.levels, "levels", "", "PLY or LCC files whose levels of detail are compared instead, separated by commas")
	set.StringVar(&o.keep, "keep", "", "folder in which to keep the captures and the results")
	set.StringVar(&o.source, "source", ".", "folder of the module to build and measure")
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
			return o, fmt.Errorf("-only: unknown capture %q", name)
		}
	}
	for _, d := range datasets() {
		if len(names) == 0 && (!quick || !d.large) || slices.Contains(names, d.name) {
			o.datasets = append(o.datasets, d)
		}
	}
	return o, nil
}

// benchmark is the state that all comparisons share.
type benchmark struct {
	options
	folder     string
	contenders []contender // Portico last
	transform  *transform  // nil if splat-transform is not available
}

// run compares all datasets and prints the report. It removes its folder unless -keep is
// given.
func run(ctx context.Context, o options) (err error) {
	w := benchmark{options: o, folder: o.keep}
	if w.folder == "" {
		if w.folder, err = os.MkdirTemp("", "portico-conversion-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(w.folder)) }()
	}
	// Children run in other folders, so the path must be absolute.
	if w.folder, err = filepath.Abs(w.folder); err != nil {
		return err
	}
	if err := os.MkdirAll(w.folder, 0o755); err != nil {
		return err
	}
	if err := w.prepare(ctx); err != nil {
		return err
	}
	if o.levels != "" {
		for path := range strings.SplitSeq(o.levels, ",") {
			if err := w.compareLevels(ctx, path); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
		}
		return nil
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

// prepare builds Portico and installs splat-transform.
func (w *benchmark) prepare(ctx context.Context) error {
	if !w.skipNode {
		found, err := findTransform(ctx)
		if err != nil {
			fmt.Fprintf(os.Stderr, "splat-transform is not available, only Portico is measured: %v\n", err)
		} else {
			w.transform = found
			w.contenders = append(w.contenders, found.contender(w.iterations))
		}
	}
	portico, err := buildPortico(ctx, w.source)
	w.contenders = append(w.contenders, portico)
	return err
}
