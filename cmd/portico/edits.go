package main

import (
	"github.com/alecthomas/kong"

	"portico/splat"
)

// editFlags change a capture while it is converted. They have the names and values
// of splat-transform. They take effect in the order of the command line and may repeat, so
// each is a list.
type editFlags struct {
	Translate       []string `short:"t" sep:"none" help:"Move by an offset, y up." placeholder:"X,Y,Z" group:"edit"`
	Rotate          []string `short:"r" sep:"none" help:"Rotate about x, then y, then z, in degrees." placeholder:"X,Y,Z" group:"edit"`
	Scale           []string `short:"s" sep:"none" help:"Scale about the origin." placeholder:"FACTOR" group:"edit"`
	FilterHarmonics []string `short:"H" sep:"none" help:"Remove spherical harmonics above a degree, 0 to 3." placeholder:"DEGREE" group:"edit"`
	FilterBox       []string `short:"B" sep:"none" help:"Keep what is in a box: its lower and its upper corner, y up." placeholder:"X,Y,Z,X,Y,Z" group:"edit"`
	FilterSphere    []string `short:"S" sep:"none" help:"Keep what is in a sphere: its centre, y up, and radius." placeholder:"X,Y,Z,R" group:"edit"`
	FilterValue     []string `short:"V" sep:"none" help:"Keep what compares: opacity,gt,0.1 for example, or x, scale_0, f_dc_0 with lt, lte, gt, gte, eq, neq." placeholder:"NAME,CMP,VALUE" group:"edit"`
	FilterNaN       bool     `name:"filter-nan" short:"N" help:"Remove broken splats. They are always removed; the flag is for scripts that have it." group:"edit"`

	// edits are the changes in the order of the command line.
	edits []splat.Edit
}

// AfterApply is a hook of kong. It sets the changes in the order of the command line: kong
// keeps the order of the flags, and the values of each flag in their own order.
func (e *editFlags) AfterApply(line *kong.Context) error { //nolint:unparam // the form of kong's hooks
	values := map[string][]string{
		"translate": e.Translate, "rotate": e.Rotate, "scale": e.Scale, "filter-harmonics": e.FilterHarmonics,
		"filter-box": e.FilterBox, "filter-sphere": e.FilterSphere, "filter-value": e.FilterValue,
	}
	e.edits = nil
	for _, at := range line.Path {
		if at.Flag == nil {
			continue
		}
		if left := values[at.Flag.Name]; len(left) > 0 {
			e.edits = append(e.edits, splat.Edit{Name: at.Flag.Name, Value: left[0]})
			values[at.Flag.Name] = left[1:]
		}
	}
	return nil
}
