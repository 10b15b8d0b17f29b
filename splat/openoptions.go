package splat

import (
	"portico/splat/input"
	"portico/splat/spz"
)

// OpenOptions are the options of opening a file. The zero value is ready to use.
type OpenOptions struct {
	// SPZAxes are the axes of an SPZ file, such as "RDF" for right, down, front. "" means the axes
	// that the file names, or else the default of the format, "RUB". PlayCanvas' tools write RDF
	// without naming it.
	SPZAxes string
	// View replaces the view that the file suggests, in the coordinates of the file. A conversion
	// returns it in the facts of its result, because most formats cannot store it.
	View *View
	// Up replaces the direction that the file declares as up, in the coordinates of a file with the
	// axes of package gaussian, for the same reason.
	Up *[3]float64
}

// check returns an error for options that are not valid.
func (o OpenOptions) check() error {
	if o.SPZAxes != "" && !spz.Axes(o.SPZAxes).IsValid() {
		return input.Errorf("", "%s does not name the axes of an SPZ file; use for example RUB or RDF", input.Quote(o.SPZAxes))
	}
	return nil
}
