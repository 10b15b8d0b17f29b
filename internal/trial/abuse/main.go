package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"portico/internal/testkit/command"
)

// main runs the scenarios of the command line.
func main() { command.Main("abuse", parseOptions, run) }

// options are the options of the command line.
type options struct {
	scale     scale
	scenarios []scenario
	source    string // folder of the module whose server is attacked
}

// parseOptions parses the command line.
func parseOptions(args []string) (options, error) {
	var o options
	set := flag.NewFlagSet("abuse", flag.ContinueOnError)
	size := set.String("scale", "full", "full or small")
	only := set.String("only", "", "scenarios, of "+strings.Join(names(), ", "))
	set.StringVar(&o.source, "source", ".", "folder of the module whose server is attacked")
	if err := set.Parse(args); err != nil {
		return o, err
	}
	var known bool
	if o.scale, known = map[string]scale{"full": fullScale(), "small": smallScale()}[*size]; !known {
		return o, fmt.Errorf("-scale: there is no %q", *size)
	}
	if *only == "" {
		o.scenarios = scenarios()
		return o, nil
	}
	for name := range strings.SplitSeq(*only, ",") {
		i := slices.Index(names(), name)
		if i < 0 {
			return o, fmt.Errorf("-only: there is no scenario %q", name)
		}
		o.scenarios = append(o.scenarios, scenarios()[i])
	}
	return o, nil
}

// run runs the scenarios one after the other and removes its files.
func run(ctx context.Context, o options) (err error) {
	w, err := openWorld(ctx, o.source)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	for _, s := range o.scenarios {
		r := &report{scenario: s.name}
		failed := w.run(ctx, s, o.scale, r)
		r.print(os.Stdout)
		err = errors.Join(err, failed, r.err())
	}
	return err
}
