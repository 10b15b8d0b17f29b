package splat

import (
	"portico/splat/input"
	"portico/splat/spz"
)

// OpenOptions are the options of opening a file. The zero value is ready to use.
type OpenOptions struct {
	// SPZAxes are the axes of an SPZ file, such as "RDF" for right, down, front. Empty
	// means the axes that the file names, or up to version 4 its default, "RUB". PlayCanvas'
	// tools write RDF without naming it.
	SPZAxes string
	// View replaces the view that the file suggests, in the coordinates of the file. A
	// conversion leaves it in the facts of its result, as formats have no place for it.
	View *View
}

// check returns an error for options that are not valid.
func (o OpenOptions) check() error {
	if o.SPZAxes != "" && !spz.Axes(o.SPZAxes).IsValid() {
		return input.Errorf("", "%s does not name the axes of an SPZ file; use for example RUB or RDF", input.Quote(o.SPZAxes))
	}
	return nil
}
