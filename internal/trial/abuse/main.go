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

func main() { command.Main("abuse", run) }

// run runs the scenarios that the arguments name, one after the other, and removes its
// files.
func run(ctx context.Context, args []string) (err error) {
	set := flag.NewFlagSet("abuse", flag.ContinueOnError)
	size := set.String("scale", "full", "full or small")
	only := set.String("only", "", "scenarios, of "+strings.Join(names(), ", "))
	source := set.String("source", ".", "folder of the module whose server is attacked")
	if err := set.Parse(args); err != nil {
		return err
	}
	scales := map[string]scale{"full": full(), "small": small()}
	s, known := scales[*size]
	if !known {
		return fmt.Errorf("-scale: there is no %q", *size)
	}
	chosen := names()
	if *only != "" {
		chosen = strings.Split(*only, ",")
	}
	w, err := openWorld(ctx, *source)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	for _, name := range chosen {
		i := slices.IndexFunc(scenarios(), func(s scenario) bool { return s.name == name })
		if i < 0 {
			return fmt.Errorf("-only: there is no scenario %q", name)
		}
		r := &report{scenario: name}
		failed := w.run(ctx, scenarios()[i], s, r)
		r.print(os.Stdout)
		err = errors.Join(err, failed, r.err())
	}
	return err
}
