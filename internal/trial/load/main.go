package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"portico/internal/testkit/command"
	"portico/splat/splattest"
)

// options are the command line.
type options struct {
	// connections is how many requests run at the same time. A row of the table is one of
	// these numbers: 16 keeps two cores busy, 64 shows what waiting costs.
	connections []int
	// Many short rounds, because the machine is shared: its speed differs as much between two rounds
	// of 400 ms as between two of 100 ms, so only their number makes a ratio exact. With 140 rounds,
	// its interval was 3 % to each side.
	rounds   int
	duration time.Duration
	only     []string // names of contenders; empty for all
	json     bool
	largeZip bool   // extract 1 GiB; a round takes four times as long
	profile  string // folder for profiles; empty measures
	source   string // the module's folder, where Portico is built
}

// wants reports whether to measure what has this name.
func (o options) wants(name string) bool { return len(o.only) == 0 || slices.Contains(o.only, name) }

// capture returns the capture in the zip that is extracted.
func (o options) capture() splattest.Capture {
	if o.largeZip {
		return splattest.Capture{Tiles: 2000, TileBytes: 512 << 10}
	}
	return splattest.Capture{Tiles: 1000, TileBytes: 256 << 10}
}

// main measures, or serves if this process is a child.
func main() {
	// The ceiling and the echo are this program again, so that one build has all that is
	// compared. The first arguments of a child name what it serves.
	if serve, ok := inChild(); ok {
		command.Exit("load", serve())
	}
	command.Main("load", parseOptions, run)
}

// parseOptions reads the flags and refuses values that would measure nothing.
func parseOptions(args []string) (options, error) {
	var o options
	var connections, only string
	set := flag.NewFlagSet("load", flag.ContinueOnError)
	set.StringVar(&connections, "connections", "16,64", "connections at a time")
	set.IntVar(&o.rounds, "rounds", 280, "measured rounds; one more warms up at each start")
	set.DurationVar(&o.duration, "duration", 50*time.Millisecond, "time of a round")
	set.StringVar(&only, "only", "", "what to measure, of "+strings.Join(measuredNames(), ", "))
	set.BoolVar(&o.json, "json", false, "print JSON instead of tables")
	set.BoolVar(&o.largeZip, "large-zip", false, "extract a zip of 2,000 files and 1,000 MiB instead of 1,000 files and 250 MiB")
	set.StringVar(&o.profile, "profile", "", "write Portico's profiles of what -only names into this folder and measure nothing")
	set.StringVar(&o.source, "source", ".", "folder of the module whose Portico is measured")
	if err := set.Parse(args); err != nil {
		return o, err
	}
	for text := range strings.SplitSeq(connections, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > maxConnections {
			return o, fmt.Errorf("-connections: %q is not a number from 1 to %d", text, maxConnections)
		}
		o.connections = append(o.connections, n)
	}
	if only != "" {
		o.only = strings.Split(only, ",")
	}
	for _, name := range o.only {
		if !slices.Contains(measuredNames(), name) {
			return o, fmt.Errorf("-only: there is no contender %q", name)
		}
	}
	if o.rounds < 1 || o.duration <= 0 {
		return o, errors.New("-rounds and -duration must be more than 0")
	}
	return o, nil
}

// run measures, or profiles, and removes its files.
func run(ctx context.Context, o options) (err error) {
	if o.profile == "" && o.wants(nameGrowth) {
		if err := checkFree(os.TempDir(), growthBytes); err != nil {
			return err
		}
	}
	w, err := openWorld(ctx)
	if err != nil {
		return err
	}
	// Postgres must end with the command, after an error too: its folder is removed.
	defer func() { err = errors.Join(err, w.close()) }()
	if o.profile != "" {
		return profilePortico(ctx, w, o)
	}
	tables := io.Writer(os.Stdout)
	if o.json {
		tables = io.Discard
	}
	results, err := measureAll(ctx, w, o, tables)
	if o.json {
		err = errors.Join(err, printJSON(os.Stdout, results))
	}
	return err
}
