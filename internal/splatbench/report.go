package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// printComparison writes Markdown: a table of figures, and what splat-transform
// reads of ours.
func printComparison(out io.Writer, c comparison) error {
	var b strings.Builder
	kind := "without harmonics"
	if c.harmonics {
		kind = "with harmonics of degree 3"
	}
	fmt.Fprintf(&b, "\n## %s: %d splats, %d in all levels, %s, %.1f MB\n\n", c.name, c.splats, c.total(), kind, megabytes(c.inputBytes))
	if c.alone {
		b.WriteString("splat-transform is not given this one: it would take hours.\n\n")
	}
	b.WriteString("|  | splat-transform | portico | ratio | target |  |\n| --- | ---: | ---: | ---: | --- | --- |\n")
	for _, row := range c.rows() {
		theirs, ratio := "-", "-"
		if c.theirs != nil {
			theirs, ratio = row.show(row.of(c.theirs)), row.ratio(c)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", row.name, theirs, row.show(row.of(c.ours)), ratio, row.target(), row.verdict(c))
	}
	if c.back != nil {
		c.back.print(&b, c.ours.levels[0])
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// row is a figure of the table.
type row struct {
	name   string
	format string
	of     func(o *outcome) float64
	// times, unless 0, is how much of splat-transform's it may be at most.
	times float64
	// most, when limited, is what it may be at most.
	most    float64
	limited bool
	// behind, unless 0, is how much less than splat-transform's it may be: of this
	// figure more is better.
	behind float64
}

// show returns the figure as the table has it.
func (r row) show(v float64) string { return fmt.Sprintf(r.format, v) }

// ratio returns ours in units of theirs.
func (r row) ratio(c comparison) string {
	theirs, ours := r.of(c.theirs), r.of(c.ours)
	switch {
	case theirs == 0 || ours == 0 || r.behind != 0:
		return "-"
	case ours < theirs/4:
		return fmt.Sprintf("1/%.1f", theirs/ours)
	default:
		return fmt.Sprintf("%.3f", ours/theirs)
	}
}

// target says what the figure must be.
func (r row) target() string {
	var all []string
	switch {
	case r.times == 0:
	case r.times < 0.5:
		all = append(all, fmt.Sprintf("<= 1/%.0f", 1/r.times))
	default:
		all = append(all, fmt.Sprintf("<= %.2fx", r.times))
	}
	if r.limited {
		all = append(all, "<= "+r.show(r.most))
	}
	if r.behind != 0 {
		all = append(all, fmt.Sprintf(">= -%.1f", r.behind))
	}
	return strings.Join(all, ", ")
}

// verdict tells whether the figure is what it must be, as far as that can be told.
func (r row) verdict(c comparison) string {
	ours, judged, ok := r.of(c.ours), r.limited, !r.limited || r.of(c.ours) <= r.most
	if c.theirs != nil && (r.times != 0 || r.behind != 0) {
		theirs := r.of(c.theirs)
		judged = true
		ok = ok && (r.times == 0 || ours <= r.times*theirs) && (r.behind == 0 || ours >= theirs-r.behind)
	}
	switch {
	case !judged:
		return ""
	case ok:
		return "ok"
	default:
		return "**MISSED**"
	}
}

// megabytes are of a million bytes, as those of the targets are.
func megabytes(bytes int64) float64 { return float64(bytes) / 1e6 }

// print adds what splat-transform reads of ours.
func (r *readBack) print(b *strings.Builder, splats int) {
	verdict := "ok"
	if r.splats != splats || r.differs() {
		verdict = "**MISSED**"
	}
	fmt.Fprintf(b, "\nsplat-transform reads it back: %d splats of %d; it differs from our reader by at most "+
		"%.2g m, %.2g degrees, %.2g of 255 in colour and %.2g in opacity, %.2g in log-scale, %.2g in harmonics: %s\n",
		r.splats, splats, r.position, r.rotation, r.colour, r.opacity, r.scale, r.harmonics, verdict)
}

// differs tells whether it is more than the rounding of float32.
func (r *readBack) differs() bool {
	return slices.Max([]float64{r.position, r.rotation / 10, r.colour, r.opacity, r.scale, r.harmonics}) > 0.005
}
