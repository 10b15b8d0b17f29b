package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// printComparison writes Markdown: a table of figures, and the result of reading back.
func printComparison(out io.Writer, c comparison) error {
	var b strings.Builder
	kind := "without harmonics"
	if c.harmonics {
		kind = "with harmonics of degree 3"
	}
	fmt.Fprintf(&b, "\n## %s: %d splats, %d in all levels, %s, %.1f MB\n\n", c.name, c.splats, c.total(), kind, megabytes(c.inputBytes))
	if c.porticoOnly {
		b.WriteString("splat-transform is skipped, because it would take hours.\n\n")
	}
	b.WriteString("|  | splat-transform | portico | ratio | target |  |\n| --- | ---: | ---: | ---: | --- | --- |\n")
	for _, row := range c.rows() {
		theirs, ratio := "-", "-"
		if c.reference != nil {
			theirs, ratio = row.formatValue(row.figure(c.reference)), row.ratio(c)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", row.name, theirs, row.formatValue(row.figure(c.portico)), ratio, row.targets(), row.verdict(c))
	}
	if c.back != nil {
		c.back.write(&b, c.portico.levels[0])
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// row is a figure of the table.
//
// A figure can have several targets; the verdict is "ok" only if it meets all of them.
type row struct {
	name   string
	format string
	figure func(o *outcome) float64
	// maxRatio, unless 0, is the maximum ratio to splat-transform's figure.
	maxRatio float64
	// limit is the maximum of the figure if limited.
	limit   float64
	limited bool
	// maxLoss, unless 0, is how far the figure may be below splat-transform's. It is for figures
	// where more is better.
	maxLoss float64
}

// formatValue returns the figure formatted for the table.
func (r row) formatValue(v float64) string { return fmt.Sprintf(r.format, v) }

// ratio returns the ratio of Portico's figure to splat-transform's.
func (r row) ratio(c comparison) string {
	theirs, ours := r.figure(c.reference), r.figure(c.portico)
	switch {
	case theirs == 0 || ours == 0 || r.maxLoss != 0:
		return "-"
	case ours < theirs/4:
		return fmt.Sprintf("1/%.1f", theirs/ours)
	default:
		return fmt.Sprintf("%.3f", ours/theirs)
	}
}

func (r row) targets() string {
	var all []string
	switch {
	case r.maxRatio == 0:
	case r.maxRatio < 0.5:
		all = append(all, fmt.Sprintf("<= 1/%.0f", 1/r.maxRatio))
	default:
		all = append(all, fmt.Sprintf("<= %.2fx", r.maxRatio))
	}
	if r.limited {
		all = append(all, "<= "+r.formatValue(r.limit))
	}
	if r.maxLoss != 0 {
		all = append(all, fmt.Sprintf(">= -%.1f", r.maxLoss))
	}
	return strings.Join(all, ", ")
}

// verdict reports whether the figure meets its targets. It is empty if there is nothing to
// compare with.
func (r row) verdict(c comparison) string {
	ours, judged, ok := r.figure(c.portico), r.limited, !r.limited || r.figure(c.portico) <= r.limit
	if c.reference != nil && (r.maxRatio != 0 || r.maxLoss != 0) {
		theirs := r.figure(c.reference)
		judged = true
		ok = ok && (r.maxRatio == 0 || ours <= r.maxRatio*theirs) && (r.maxLoss == 0 || ours >= theirs-r.maxLoss)
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

// megabytes converts bytes to megabytes of a million bytes, the unit of the targets.
func megabytes(bytes int64) float64 { return float64(bytes) / 1e6 }

// write appends the result of reading back.
func (r *readBack) write(b *strings.Builder, splats int) {
	verdict := "ok"
	if r.splats != splats || r.differs() {
		verdict = "**MISSED**"
	}
	fmt.Fprintf(b, "\nsplat-transform reads it back: %d splats of %d; it differs from our reader by at most "+
		"%.2g m, %.2g degrees, %.2g of 255 in colour and %.2g in opacity, %.2g in log-scale, %.2g in harmonics: %s\n",
		r.splats, splats, r.position, r.rotation, r.colour, r.opacity, r.scale, r.harmonics, verdict)
}

// differs reports whether a difference is larger than the rounding of float32.
func (r *readBack) differs() bool {
	return slices.Max([]float64{r.position, r.rotation / 10, r.colour, r.opacity, r.scale, r.harmonics}) > 0.005
}
