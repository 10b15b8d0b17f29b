package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// report prints a row for each capture and one for all, and then the failed runs with
// their changes and failures. It reports whether any run failed. The columns count tasks
// that read the capture, refused it, or failed.
func report(w io.Writer, all []capture, rounds []round) (failed bool) {
	slices.SortFunc(rounds, func(a, b round) int { return cmp.Compare(a.number, b.number) })
	// Errors of the output are ignored: there is no other place to report them.
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprintln(table, "capture\truns\ttasks\tread\trefused\tfailed\tmax MB\tmax slowdown\t")
	// The last row, without a name, is the sum of all captures.
	for _, c := range append(all, capture{}) {
		sum, runs, broken := round{capture: c.name}, 0, 0
		for _, r := range rounds {
			if r.capture != c.name && c.name != "" {
				continue
			}
			runs++
			broken += len(r.failures)
			sum.tasks += r.tasks
			sum.faults += r.faults
			sum.peakMemory, sum.ratio = max(sum.peakMemory, r.peakMemory), max(sum.ratio, r.ratio)
		}
		_, _ = fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%.1f\t\n", cmp.Or(c.name, "all"), runs,
			sum.tasks, sum.tasks-sum.faults-broken, sum.faults, broken, sum.peakMemory>>20, sum.ratio)
		failed = failed || broken > 0
	}
	_ = table.Flush()
	for _, r := range rounds {
		if len(r.failures) > 0 {
			_, _ = fmt.Fprintf(w, "\nrun %d of %s, kept in %s\n  %s\n  %.2000s\n", r.number, r.capture, r.folder,
				strings.Join(r.changes, "\n  "), strings.Join(r.failures, "\n  "))
		}
	}
	return failed
}
