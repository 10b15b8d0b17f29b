package splat

import (
	"errors"
	"fmt"

	"portico/splat/gaussian"
)

// Merge returns a capture with the Gaussians of all captures, one capture after the other, each
// with the changes of Edit. Its view is the view of the first capture that has one. Closing the
// result closes all captures. After an error they are still open. The facts of the result have no
// version, no bounds and no view.
func Merge(captures ...*Capture) (*Capture, error) {
	if len(captures) == 1 {
		return captures[0], nil
	}
	first := captures[0]
	c := &Capture{name: first.name, folder: first.folder, Facts: Facts{Format: first.Facts.Format, Model: first.Facts.Model, Offset: first.Facts.Offset}}
	var sources []gaussian.Source
	var closers []func() error
	for _, capture := range captures {
		if err := capture.mustHaveGaussians(); err != nil {
			return nil, err
		}
		sources, closers = append(sources, capture.source), append(closers, capture.Close)
		c.Warnings = append(c.Warnings, capture.Warnings...)
		c.addFacts(capture.Facts)
		c.held += capture.held
		if c.view == nil {
			c.view = capture.view
		}
	}
	c.source = gaussian.Merge(sources...)
	c.setLevels(c.source.Levels())
	c.Facts.Degree = c.source.Degree()
	c.close = func() error {
		var errs []error
		for _, closeOne := range closers {
			errs = append(errs, closeOne())
		}
		return errors.Join(errs...)
	}
	return c, nil
}

// addFacts adds the facts of one of several captures, except its levels and degree.
func (c *Capture) addFacts(one Facts) {
	c.Facts.Environment += one.Environment
	c.Facts.LeftOut += one.LeftOut
	if c.Facts.Attribution == "" {
		c.Facts.Attribution = one.Attribution
	}
	if a, b := c.Facts.Offset, one.Offset; (a == nil) != (b == nil) || a != nil && *a != *b {
		c.Warnings = append(c.Warnings, "the captures have different offsets from the origin of their map, so they are not in their places on it")
	}
	if one.Model != c.Facts.Model {
		// A renderer uses one model for all Gaussians of a capture.
		c.Warnings = append(c.Warnings, fmt.Sprintf("the captures were trained for different renderers: %q and %q", c.Facts.Model, one.Model))
	}
}
