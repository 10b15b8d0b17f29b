package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
)

// options are the command line.
type options struct {
	// runs is how often something is published in the scenario with the most of
	// it; others take their share.
	runs int
	seed uint64
	// only names the scenarios to play; empty for all.
	only []string
}

func main() {
	var o options
	var only string
	flag.IntVar(&o.runs, "runs", 200, "how often something is published")
	flag.Uint64Var(&o.seed, "seed", 1, "what decides when something breaks")
	flag.StringVar(&only, "only", "", "scenarios to play, with commas; all when empty")
	flag.Parse()
	if only != "" {
		o.only = strings.Split(only, ",")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "faults:", err)
		os.Exit(1)
	}
}

// errBroken is the end of a command whose report says more.
var errBroken = errors.New("something was lost or broken")

// run builds the program and plays the scenarios one after the other.
func run(ctx context.Context, o options) error {
	chosen, err := choose(scenarios(), o.only)
	if err != nil {
		return err
	}
	at, err := newStage(ctx, o.seed)
	if err != nil {
		return err
	}
	var all []*tally
	broken := false
	for _, s := range chosen {
		t := s.play(ctx, at, o.runs)
		t.print(os.Stdout)
		all, broken = append(all, t), broken || len(t.broken) > 0
	}
	printSum(os.Stdout, all)
	if broken {
		fmt.Println("logs are kept in", at.folder)
		return errBroken
	}
	return errors.Join(ctx.Err(), at.close())
}

// stage is what all scenarios share: the program, and a place for their worlds.
type stage struct {
	folder string
	binary string
	seed   uint64
}

// newStage makes a folder that Postgres' user may pass through, and builds the
// program there.
func newStage(ctx context.Context, seed uint64) (*stage, error) {
	folder, err := os.MkdirTemp("", "portico-faults-*")
	if err != nil {
		return nil, err
	}
	s := &stage{folder: folder, binary: filepath.Join(folder, "portico"), seed: seed}
	if err := errors.Join(os.Chmod(folder, 0o711), s.build(ctx)); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// build builds the program.
func (s *stage) build(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-o", s.binary, "portico/cmd/portico")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build the program: %w\n%s", err, out)
	}
	return nil
}

// close removes all traces.
func (s *stage) close() error { return os.RemoveAll(s.folder) }
