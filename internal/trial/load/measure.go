package main

import (
	"context"
	"fmt"
	"os"
	"time"
)

// result is the result of a contender in one operation on a number of connections.
type result struct {
	Contender   string    `json:"contender"`
	Operation   operation `json:"operation"`
	Connections int       `json:"connections"`
	summary
}

// results are what a run writes as JSON, and the report reads.
type results struct {
	Results []result         `json:"results"`
	Files   []filesResult    `json:"files,omitempty"`
	Fanouts []fanoutResult   `json:"fanouts,omitempty"`
	Sockets []socketsResult  `json:"sockets,omitempty"`
	Growth  []growthOf       `json:"growth,omitempty"`
	Memory  map[string]int64 `json:"peak_memory_bytes"`
	Rounds  int              `json:"rounds"`
	Time    time.Duration    `json:"round_ns"`
}

// cell is one operation by one contender with one number of connections.
type cell struct {
	contender   string
	operation   operation
	connections int
}

// roundsOfStart is the number of rounds, for each number of connections, after which all contenders
// are started again. Two processes of one program differ by some percent for as long as they run,
// because of where their memory is. In one start each, two whole runs differed by up to 8 %, in seven
// by up to 6 %.
const roundsOfStart = 10

// measureContenders starts the wanted contenders several times and measures them.
func measureContenders(ctx context.Context, w *world, o options, all *results) error {
	all.Rounds, all.Time, all.Memory = o.rounds, o.duration, map[string]int64{}
	samples := map[cell][]sample{}
	var names []string
	for first := 1; first <= o.rounds; first += roundsOfStart {
		contenders, stop, err := startContenders(ctx, w, o)
		if err == nil {
			err = measure(ctx, w, contenders, o, first, samples)
		}
		if err == nil {
			names, err = all.addMemory(contenders)
		}
		stop()
		if err != nil {
			return err
		}
	}
	all.addResults(names, samples, o)
	return nil
}

// measure runs the rounds of one start, from the number first on. The contenders take turns within
// each operation, and each round starts with another one, so that a disturbance of the machine hits
// all of them. One more round at the start warms up and does not count.
func measure(ctx context.Context, w *world, contenders []contender, o options, first int, samples map[cell][]sample) error {
	last := min(first+roundsOfStart-1, o.rounds)
	for _, connections := range o.connections {
		for round := first - 1; round <= last; round++ {
			fmt.Fprintf(os.Stderr, "load: %d connections, round %d of %d\n", connections, round, o.rounds)
			for _, op := range operations() {
				for i := range contenders {
					c := contenders[(i+round)%len(contenders)]
					if !takesPart(c.name(), max(round, first)) {
						continue
					}
					s, err := c.round(ctx, op, connections, o.duration)
					if err != nil {
						return err
					}
					if at := (cell{c.name(), op, connections}); round >= first {
						samples[at] = append(samples[at], s)
					}
				}
			}
			if err := w.clear(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// Contenders that no bar compares take part in one round of uncomparedInterval. They need no exact
// ratio, and a round of pgbench takes at least a second.
const uncomparedInterval = 20

// takesPart reports whether a contender takes part in a round that counts.
func takesPart(contender string, round int) bool {
	return round%uncomparedInterval == 1 || isCompared(contender)
}

// addResults adds the summaries of each cell, in the order of the tables.
func (r *results) addResults(contenders []string, samples map[cell][]sample, o options) {
	for _, connections := range o.connections {
		for _, op := range operations() {
			for _, name := range contenders {
				r.Results = append(r.Results, result{name, op, connections, summarise(samples[cell{name, op, connections}])})
			}
		}
	}
}

// addMemory adds the peak memory of the contenders, of all their starts, and returns their names.
func (r *results) addMemory(contenders []contender) (names []string, err error) {
	for _, c := range contenders {
		peak, err := c.peak()
		if err != nil {
			return nil, err
		}
		r.Memory[c.name()] = max(r.Memory[c.name()], peak)
		names = append(names, c.name())
	}
	return names, nil
}

// find returns a contender's result, or false if it was not measured.
func (r results) find(contender string, op operation, connections int) (result, bool) {
	for _, found := range r.Results {
		if found.Contender == contender && found.Operation == op && found.Connections == connections {
			return found, true
		}
	}
	return result{}, false
}
