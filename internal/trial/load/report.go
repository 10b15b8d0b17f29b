package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// bar is the rate that a contender should reach, relative to another, in each operation.
type bar struct {
	contender, reference string
	min                  map[operation]float64
}

// bars returns the bars, each with a rate for each operation. The first compares Portico with the
// same two trips to the database by hand, the second with the best that can be done by hand on
// the same tables, the third with tables that have no history, quotas and totals, and the last
// its two doors.
func bars() []bar {
	return []bar{
		{nameREST, nameCeiling, targets(0.75, 0.75, 0.75, 0.75, 0.75)},
		{nameREST, nameOneTrip, targets(0.85, 0.85, 0.95, 0.85, 0.85)},
		{nameREST, namePlain, targets(0.70, 0.65, 0.95, 0.65, 0.65)},
		{nameGraphQL, nameREST, targets(0.80, 0.90, 0.50, 0.90, 0.90)},
	}
}

// isCompared reports whether a bar compares the contender.
func isCompared(contender string) bool {
	return slices.ContainsFunc(bars(), func(b bar) bool { return contender == b.contender || contender == b.reference })
}

// targets returns the rates that a bar wants.
func targets(get, create, list, update, remove float64) map[operation]float64 {
	return map[operation]float64{opGet: get, opCreate: create, opList: list, opUpdate: update, opDelete: remove}
}

// printJSON prints the results for programs, with durations in nanoseconds.
func printJSON(out io.Writer, r results) error {
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(r)
}

func writeContenders(b *strings.Builder, r results) {
	if len(r.Results) == 0 {
		return
	}
	fmt.Fprintf(b, "%d rounds of %v, ratios with intervals of 95 %% confidence.\n", r.Rounds, r.Time)
	for _, connections := range r.connections() {
		writeBars(b, r, connections)
		writeRates(b, r, connections)
	}
	writeMemory(b, r)
}

// connections returns the numbers of connections in their order.
func (r results) connections() []int {
	var all []int
	for _, found := range r.Results {
		if len(all) == 0 || all[len(all)-1] != found.Connections {
			all = append(all, found.Connections)
		}
	}
	return all
}

// writeBars writes the ratio of each bar.
func writeBars(b *strings.Builder, r results, connections int) {
	fmt.Fprintf(b, "\n%d connections, ratios\n\n|  |", connections)
	for _, op := range operations() {
		fmt.Fprintf(b, " %s |", op)
	}
	b.WriteString("\n| --- |" + strings.Repeat(" ---: |", len(operations())) + "\n")
	for _, bar := range bars() {
		fmt.Fprintf(b, "| %s / %s |", bar.contender, bar.reference)
		for _, op := range operations() {
			b.WriteString(" " + bar.verdict(r, op, connections) + " |")
		}
		b.WriteString("\n")
	}
}

// verdict returns the ratio, its interval of confidence and what is wanted of it, in bold if it is
// less.
func (b bar) verdict(r results, op operation, connections int) string {
	one, ok := r.find(b.contender, op, connections)
	other, there := r.find(b.reference, op, connections)
	if !ok || !there {
		return "-"
	}
	ratio, low, high := compareRates(one.Rates, other.Rates)
	if ratio < b.min[op] {
		return fmt.Sprintf("**%.2f** (%.2f to %.2f) < %.2f", ratio, low, high, b.min[op])
	}
	return fmt.Sprintf("%.2f (%.2f to %.2f) ≥ %.2f", ratio, low, high, b.min[op])
}

// writeRates writes what each contender reached in each operation, and what a request of it cost.
func writeRates(b *strings.Builder, r results, connections int) {
	fmt.Fprintf(b, "\n%d connections\n\n", connections)
	b.WriteString("| operation | contender | requests/s | lowest - highest | p50 ms | p99 ms | CPU us | database | client |\n")
	b.WriteString("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n")
	for _, f := range r.Results {
		if f.Connections != connections {
			continue
		}
		fmt.Fprintf(b, "| %s | %s | %.0f | %.0f - %.0f | %.2f | %.2f | %s | %s | %s |\n",
			f.Operation, f.Contender, f.Rate, f.Lowest, f.Highest, milliseconds(f.P50), milliseconds(f.P99),
			microseconds(f.Server), microseconds(f.Database), microseconds(f.Client))
	}
}

// milliseconds returns a duration as the tables show latencies.
func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// microseconds returns "-" for a cost that does not exist: pgbench has no server of ours.
func microseconds(d time.Duration) string {
	if d == 0 {
		return "-"
	}
	return fmt.Sprintf("%.0f", float64(d)/float64(time.Microsecond))
}

// writeFanouts writes how changes reached subscribers.
func writeFanouts(b *strings.Builder, all results) {
	if len(all.Fanouts) == 0 {
		return
	}
	fmt.Fprintf(b, "\nChanges of one space for %v, to all of its subscribers\n\n", fanoutTime)
	b.WriteString("| subscribers | changes/s | over | delivered | p50 ms | p99 ms | server cores | database cores | client cores |\n")
	b.WriteString("| ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n")
	for _, f := range all.Fanouts {
		fmt.Fprintf(b, "| %d | %d | %s | %.2f %% | %.1f | %.1f | %.2f | %.2f | %.2f |\n",
			f.Subscribers, f.Rate, f.Protocol, 100*float64(f.Delivered)/float64(f.Expected),
			milliseconds(f.P50), milliseconds(f.P99), f.Server, f.Database, f.Client)
	}
}

// writeMemory writes the peak memory of the contenders that have one process.
func writeMemory(b *strings.Builder, r results) {
	b.WriteString("\n| contender | peak memory MiB |\n| --- | ---: |\n")
	for _, name := range contenderNames() {
		if peak := r.Memory[name]; peak > 0 {
			fmt.Fprintf(b, "| %s | %.0f |\n", name, float64(peak)/(1<<20))
		}
	}
}
