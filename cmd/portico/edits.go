package main

import (
	"github.com/alecthomas/kong"

	"portico/splat"
)

// editFlags are the flags that edit a capture during its conversion. They have the names and values
// that splat-transform uses. A flag may repeat, and all flags apply in the order of the command
// line, so each flag is a list.
type editFlags struct {
	Translate       []string `short:"t" sep:"none" help:"Move by an offset, y up." placeholder:"X,Y,Z" group:"edit"`
	Rotate          []string `short:"r" sep:"none" help:"Rotate about x, then y, then z, in degrees." placeholder:"X,Y,Z" group:"edit"`
	Scale           []string `short:"s" sep:"none" help:"Scale about the origin." placeholder:"FACTOR" group:"edit"`
	FilterHarmonics []string `short:"H" sep:"none" help:"Remove spherical harmonics above a degree, 0 to 3." placeholder:"DEGREE" group:"edit"`
	FilterBox       []string `short:"B" sep:"none" help:"Keep the Gaussians in a box: its minimum and maximum corner, y up." placeholder:"X,Y,Z,X,Y,Z" group:"edit"`
	FilterSphere    []string `short:"S" sep:"none" help:"Keep the Gaussians in a sphere: its centre, y up, and radius." placeholder:"X,Y,Z,R" group:"edit"`
	FilterValue     []string `short:"V" sep:"none" help:"Keep the Gaussians with matching values, such as opacity,gt,0.1. Names are opacity, x, scale_0, f_dc_0 and so on; comparisons are lt, lte, gt, gte, eq, neq." placeholder:"NAME,CMP,VALUE" group:"edit"`
	FilterFloaters  []string `short:"F" sep:"none" help:"Remove Gaussians that contribute to no solid voxel: size and opacity of a voxel, and minimum contribution. Default: 0.05,0.1,0.004." placeholder:"[SIZE,OPACITY,MIN]" group:"edit"`
	Decimate        []string `short:"d" sep:"none" help:"Merge neighbours until N Gaussians, or N percent, remain." placeholder:"N|N%" group:"edit"`
	FilterNaN       bool     `name:"filter-nan" short:"N" help:"Remove broken Gaussians. They are always removed; the flag exists for scripts that use it." group:"edit"`
}

// values returns the values of each flag, in the order of the command line. FilterNaN is missing,
// because it changes nothing.
func (e *editFlags) values() map[string][]string {
	return map[string][]string{
		"translate": e.Translate, "rotate": e.Rotate, "scale": e.Scale, "filter-harmonics": e.FilterHarmonics,
		"filter-box": e.FilterBox, "filter-sphere": e.FilterSphere, "filter-value": e.FilterValue,
		"filter-floaters": e.FilterFloaters, "decimate": e.Decimate,
	}
}

// inputFile is a capture to convert, with the edits that follow it on the command line.
type inputFile struct {
	path  string
	edits []splat.Edit
}

// assignEdits assigns each edit to the input that it follows on the command line. Edits after
// OUT, and all edits of a single input, apply to the merged capture. Kong keeps the order of
// files and flags in line.Path, and the values of each flag in the list of the flag.
func (c *convertCommand) assignEdits(line *kong.Context) (inputs []inputFile, whole []splat.Edit) {
	inputs = []inputFile{{path: c.In}}
	values, extraInputs, isWhole := c.values(), c.ExtraInput, false
	// Path has an element for each flag and positional argument, in the order of the command line.
	// An element of a repeated flag does not say which value it has, so the next value of the list
	// is taken.
	for _, at := range line.Path {
		if at.Positional != nil {
			isWhole = at.Positional.Name == "out"
		}
		if at.Flag == nil {
			continue
		}
		name := at.Flag.Name
		if name == extraInputFlag && len(extraInputs) > 0 {
			inputs, extraInputs = append(inputs, inputFile{path: extraInputs[0]}), extraInputs[1:]
		}
		remaining := values[name]
		if len(remaining) == 0 {
			continue
		}
		edit := splat.Edit{Name: name, Value: remaining[0]}
		values[name] = remaining[1:]
		if last := &inputs[len(inputs)-1]; isWhole {
			whole = append(whole, edit)
		} else {
			last.edits = append(last.edits, edit)
		}
	}
	return inputs, whole
}

// AfterApply implements the hook that kong calls after it has set all flags.
func (c *convertCommand) AfterApply(line *kong.Context) error { //nolint:unparam // the form of kong's hooks
	c.inputs, c.edits = c.assignEdits(line)
	return nil
}
