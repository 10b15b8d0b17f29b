package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"time"
)

// none is the bound of figures that must be 0, because a bound of 0 means no bound.
const none = 0.5

// figure is one measured value and its limit.
type figure struct {
	what  string
	value float64
	unit  string
	limit float64 // 0 means no limit
}

// report is what a scenario measured.
type report struct {
	scenario string
	figures  []figure
}

// add adds a figure, in the order of the report.
func (r *report) add(what string, value float64, unit string, limit float64) {
	r.figures = append(r.figures, figure{what, value, unit, limit})
}

// print writes a line for each figure.
func (r *report) print(w io.Writer) {
	for _, f := range r.figures {
		bound := ""
		if f.limit > 0 {
			bound = fmt.Sprintf("  at most %g", f.limit)
		}
		// A report that cannot be written is the smaller trouble: err has the verdict.
		_, _ = fmt.Fprintf(w, "%-8s  %-44s %10.1f %-4s%s\n", r.scenario, f.what, f.value, f.unit, bound)
	}
}

// err returns an error for the figures that exceed their limits.
func (r *report) err() error {
	var errs []error
	for _, f := range r.figures {
		if f.limit > 0 && f.value > f.limit {
			errs = append(errs, fmt.Errorf("%s: %s: %.1f %s, want at most %g", r.scenario, f.what, f.value, f.unit, f.limit))
		}
	}
	return errors.Join(errs...)
}

// firstError returns the first of many errors, with the number of the others.
func firstError(errs []error) error {
	errs = slices.DeleteFunc(errs, func(err error) bool { return err == nil })
	switch len(errs) {
	case 0:
		return nil
	case 1:
		return errs[0]
	}
	return fmt.Errorf("%w (and %d more)", errs[0], len(errs)-1)
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
