package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"
)

// The counts that the sum over all scenarios names.
const (
	countRuns   = "runs"
	countKills  = "kills"
	countFaults = "faults"
	countLost   = "lost"
)

// maxViolations is the number of complaints that are kept: one fault may break everything
// after it.
const maxViolations = 40

// tally is what a scenario did and found. Its methods may be called concurrently.
type tally struct {
	name    string
	took    time.Duration
	skipped string // why it did not run; "" where it was

	// mu protects what follows. took and skipped are set once, after the scenario has ended.
	mu      sync.Mutex
	names   []string // of the counts, in the order in which they came up
	counts  map[string]int
	broken  []string
	omitted int // complaints beyond those that are kept
}

// newTally returns one that has the counts that every scenario has.
func newTally(name string) *tally {
	t := &tally{name: name, counts: map[string]int{}}
	for _, each := range []string{countRuns, countKills, countFaults, countLost} {
		t.add(each, 0)
	}
	return t
}

// add counts n more of something.
func (t *tally) add(name string, n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, known := t.counts[name]; !known {
		t.names = append(t.names, name)
	}
	t.counts[name] += n
}

// recordMax keeps the largest value of a count.
func (t *tally) recordMax(name string, n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, known := t.counts[name]; !known {
		t.names = append(t.names, name)
	}
	t.counts[name] = max(t.counts[name], n)
}

func (t *tally) addViolation(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.broken) >= maxViolations {
		t.omitted++
		return
	}
	if !slices.Contains(t.broken, text) {
		t.broken = append(t.broken, text)
	}
}

// addLost adds something confirmed that is missing or incomplete.
func (t *tally) addLost(format string, args ...any) {
	t.add(countLost, 1)
	t.addViolation(format, args...)
}

// print writes the scenario's line of the report, and its violations.
func (t *tally) print(out io.Writer) {
	_, _ = io.WriteString(out, t.report()) // nothing else can report it
}

// report returns what print writes.
func (t *tally) report() string {
	if t.skipped != "" {
		return fmt.Sprintf("%-11s skipped: %s\n", t.name, t.skipped)
	}
	counts := make([]string, len(t.names))
	for i, name := range t.names {
		counts[i] = fmt.Sprintf("%s %d", name, t.counts[name])
	}
	verdict := "whole"
	if len(t.broken) > 0 {
		verdict = "BROKEN"
	}
	lines := fmt.Sprintf("%-11s %s in %v: %s\n", t.name, verdict, t.took.Round(time.Second), strings.Join(counts, ", "))
	for _, text := range t.broken {
		lines += "    " + text + "\n"
	}
	if t.omitted > 0 {
		lines += fmt.Sprintf("    and %d more\n", t.omitted)
	}
	return lines
}

// printSum writes the last line of the report: runs, kills, faults, lost.
func printSum(out io.Writer, all []*tally) {
	var totals []string
	for _, name := range []string{countRuns, countKills, countFaults, countLost} {
		sum := 0
		for _, t := range all {
			sum += t.counts[name]
		}
		totals = append(totals, fmt.Sprintf("%s %d", name, sum))
	}
	_, _ = fmt.Fprintf(out, "%-11s %s\n", "all", strings.Join(totals, ", ")) // as print
}
