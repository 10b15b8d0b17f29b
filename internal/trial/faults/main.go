package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"

	"portico/internal/testkit/command"
	"portico/internal/testkit/program"
)

// options are the command line.
type options struct {
	// runs is how many times the first scenario publishes something. Others have a share of it.
	runs int
	seed uint64
	// only names the scenarios to run; empty for all.
	only []string
}

// main runs the scenarios that the command line selects.
func main() { command.Main("faults", parseOptions, run) }

// parseOptions parses the command line.
func parseOptions(args []string) (options, error) {
	var o options
	var only string
	set := flag.NewFlagSet("faults", flag.ContinueOnError)
	set.IntVar(&o.runs, "runs", 200, "how many times something is published")
	set.Uint64Var(&o.seed, "seed", 1, "seed of the moments at which something breaks")
	set.StringVar(&only, "only", "", "scenarios to run, separated by commas; empty for all")
	err := set.Parse(args)
	if only != "" {
		o.only = strings.Split(only, ",")
	}
	return o, err
}

// errBroken is the error of a command whose report shows losses.
var errBroken = errors.New("something was lost or broken")

// run builds the program and runs the scenarios one after the other.
func run(ctx context.Context, o options) error {
	chosen, err := selectScenarios(scenarios(), o.only)
	if err != nil {
		return err
	}
	shared, err := newStage(ctx, o.seed)
	if err != nil {
		return err
	}
	var all []*tally
	broken := false
	for _, s := range chosen {
		t := s.run(ctx, shared, o.runs)
		t.print(os.Stdout)
		all, broken = append(all, t), broken || len(t.broken) > 0
	}
	printSum(os.Stdout, all)
	if broken {
		fmt.Println("logs are kept in", shared.folder)
		return errBroken
	}
	return errors.Join(ctx.Err(), shared.close())
}

// stage is what all scenarios share: the program, and a folder for their worlds.
type stage struct {
	folder string
	binary string
	seed   uint64
}

// newStage creates a folder that Postgres' user may pass through, and builds the
// program.
func newStage(ctx context.Context, seed uint64) (*stage, error) {
	folder, err := os.MkdirTemp("", "portico-faults-*")
	if err != nil {
		return nil, err
	}
	s := &stage{folder: folder, seed: seed}
	if err = os.Chmod(folder, 0o711); err == nil {
		s.binary, err = program.Build(ctx, program.BuildOptions{})
	}
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

func (s *stage) close() error { return os.RemoveAll(s.folder) }
