package splat

import (
	"context"
	"strings"

	"portico/splat/edit"
)

// Edit is one change of a capture during its conversion. Names and values are the options of
// splat-transform's command line (see edit.Parse), which many users know.
type Edit struct {
	// Name is the name of the change, such as "translate".
	Name string
	// Value is the argument of the change, such as "0,1.5,0". Its form depends on the name.
	Value string
}

// Edit applies the changes, in this order, to the Gaussians that are drawn and converted. The file
// and its facts do not change. An error in the name or value of a change is not an *InputError.
// After an error some of the changes may have been applied.
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
	if err := c.mustHaveGaussians(); err != nil {
		return err
	}
	c.thumbnail, c.triangles = "", nil // they show the capture before the changes
	for i, step := range steps {
		changed, err := step(ctx, c.source)
		if err != nil {
			return err
		}
		c.source = changed
		if d, ok := changed.(*edit.Decimated); ok {
			c.held += d.Held()
		}
		// Filters and decimation leave the Gaussians that remain where they are.
		if !strings.HasPrefix(changes[i].Name, "filter-") && changes[i].Name != "decimate" {
			if err := c.moveView(ctx, step); err != nil {
				return err
			}
		}
	}
	return nil
}
