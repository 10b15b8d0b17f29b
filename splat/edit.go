package splat

import (
	"context"
	"strings"

	"portico/splat/edit"
)

// Edit is a change of a capture while it is converted, as splat-transform's command line
// has it (see edit.Parse).
type Edit struct {
	// Name is the name, such as "translate", and Value what the change needs, such as
	// "0,1.5,0".
	Name, Value string
}

// Edit changes the Gaussians that are drawn and converted, by these changes in this order.
// The file does not change, and neither do its facts. An error about a change is not the
// file's fault.
func (c *Capture) Edit(ctx context.Context, changes []Edit) error {
	steps := make([]edit.Step, len(changes))
	for i, change := range changes {
		var err error
		if steps[i], err = edit.Parse(change.Name, change.Value); err != nil {
			return err
		}
	}
	if len(steps) == 0 {
		return nil
	}
	if err := c.mustHoldGaussians(); err != nil {
		return err
	}
	c.thumbnail = "" // shows the capture as it was
	for i, step := range steps {
		changed, err := step(ctx, c.source)
		if err != nil {
			return err
		}
		c.source = changed
		if !strings.HasPrefix(changes[i].Name, "filter-") {
			if err := c.moveView(ctx, step); err != nil {
				return err
			}
		}
	}
	return nil
}
