package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// report prints a row for each capture and one for all, and then the runs that failed:
// what was done to the capture, and what the program did. It tells whether there are
// any. A task was read, refused with a fault, or failed.
func report(w io.Writer, all []capture, rounds []round) (failed bool) {
	slices.SortFunc(rounds, func(a, b round) int { return cmp.Compare(a.number, b.number) })
	// What cannot be written cannot be told either.
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprintln(table, "capture\truns\ttasks\tread\trefused\tfailed\tMB at most\ttimes the clean time\t")
	// The last one, without a name, stands for all.
	for _, c := range append(all, capture{}) {
		sum, runs, broken := round{capture: c.name}, 0, 0
		for _, r := range rounds {
			if r.capture != c.name && c.name != "" {
				continue
			}
			runs++
			broken += len(r.broken)
			sum.tasks += r.tasks
			sum.faults += r.faults
			sum.peak, sum.ratio = max(sum.peak, r.peak), max(sum.ratio, r.ratio)
		}
		_, _ = fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%.1f\t\n", cmp.Or(c.name, "all"), runs,
			sum.tasks, sum.tasks-sum.faults-broken, sum.faults, broken, sum.peak>>20, sum.ratio)
		failed = failed || broken > 0
	}
	_ = table.Flush()
	for _, r := range rounds {
		if len(r.broken) > 0 {
			_, _ = fmt.Fprintf(w, "\nrun %d of %s, kept in %s\n  %s\n  %.2000s\n", r.number, r.capture, r.kept,
				strings.Join(r.did, "\n  "), strings.Join(r.broken, "\n  "))
		}
	}
	return failed
}
