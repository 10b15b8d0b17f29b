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

// measureContenders starts the wanted contenders and measures them.
func measureContenders(ctx context.Context, w *world, o options, all *results) error {
	contenders, stop, err := startContenders(ctx, w, o)
	defer stop()
	if err != nil {
		return err
	}
	samples, err := measure(ctx, w, contenders, o)
	if err != nil {
		return err
	}
	all.Rounds, all.Time = o.rounds, o.duration
	return collectResults(contenders, samples, o, all)
}

// measure runs all rounds. The contenders take turns within each operation, and each
// round starts with another one, so that a disturbance of the machine hits all of them.
// The first round warms up and does not count.
func measure(ctx context.Context, w *world, contenders []contender, o options) (map[cell][]sample, error) {
	samples := map[cell][]sample{}
	for _, connections := range o.connections {
		for round := range o.rounds + 1 {
			fmt.Fprintf(os.Stderr, "load: %d connections, round %d of %d\n", connections, round, o.rounds)
			for _, op := range operations() {
				for i := range contenders {
					c := contenders[(i+round)%len(contenders)]
					if !takesPart(c.name(), round) {
						continue
					}
					s, err := c.round(ctx, op, connections, o.duration)
					if err != nil {
						return nil, err
					}
					if at := (cell{c.name(), op, connections}); round > 0 {
						samples[at] = append(samples[at], s)
					}
				}
			}
			if err := w.clear(ctx); err != nil {
				return nil, err
			}
		}
	}
	return samples, nil
}

// Contenders that no bar compares take part in one round of uncomparedInterval. They need no exact
// ratio, and a round of pgbench takes at least a second.
const uncomparedInterval = 20

// takesPart reports whether a contender takes part in a round. Round 0 warms up.
func takesPart(contender string, round int) bool {
	return round == 0 || round%uncomparedInterval == 1 || isCompared(contender)
}

// collectResults adds the summaries of each cell, in the order of the tables, and the peak memory.
func collectResults(contenders []contender, samples map[cell][]sample, o options, all *results) error {
	for _, connections := range o.connections {
		for _, op := range operations() {
			for _, c := range contenders {
				found := samples[cell{c.name(), op, connections}]
				all.Results = append(all.Results, result{c.name(), op, connections, summarise(found)})
			}
		}
	}
	all.Memory = map[string]int64{}
	for _, c := range contenders {
		peak, err := c.peak()
		if err != nil {
			return err
		}
		all.Memory[c.name()] = peak
	}
	return nil
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
