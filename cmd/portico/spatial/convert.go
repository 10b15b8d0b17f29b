// Package spatial has the commands that read captures on this computer, without a server: inspect,
// convert and view. It also has the child process in which a worker converts the capture of a job,
// because both convert in the same way.
package spatial

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"portico/cmd/portico/command"
	"portico/splat"
)

// ConvertCommand is "portico convert". Kong fills the exported fields; AfterApply fills the others.
type ConvertCommand struct {
	spatialFlags
	editFlags
	collisionFlags
	In string `arg:"" help:"The capture; several are merged. A .lcc .lcc2 .ply .spz .splat .ksplat .sog .glb .gltf .html .zip, lod-meta.json, meta.json, or an image." type:"path"`
	// ExtraInput are the inputs after the first; see flagExtraInputs.
	ExtraInput      []string `hidden:"" sep:"none" type:"path"`
	Out             string   `arg:"" help:"The result: a folder or its lod-meta.json for streamed SOG; FILE.sog, .ply, .compressed.ply, .spz, .glb or .csv; FILE.jpg, FILE.png or FILE.webp for a picture; FILE.voxel.json or FILE.collision.glb for the collision." type:"path"`
	Width           int      `help:"Width of a picture in pixels. An image is never enlarged." default:"${width}" placeholder:"PX"`
	Height          int      `help:"Height of a picture in pixels." default:"${height}" placeholder:"PX"`
	Turntable       bool     `help:"Make FILE.webp an animation that shows the capture from all sides."`
	TurntableFrames int      `help:"Number of pictures of a turntable. A turn takes 6 seconds." default:"${frames}" placeholder:"N"`
	SPZVersion      int      `name:"spz-version" help:"Version of the written SPZ: 4, or 3 for older viewers." enum:"3,4" default:"4"`
	SPZAxes         string   `name:"spz-axes" help:"Axes of an SPZ file that does not name them. RDF for files of PlayCanvas' tools. Default: RUB." placeholder:"XYZ"`

	// inputs are the captures, each with its own edits; edits apply to the merged capture.
	inputs []inputFile
	edits  []splat.Edit
}

// conversion is what "portico convert --json" prints last.
type conversion struct {
	// Primary is the name of the file to load, relative to OUT if OUT is a folder.
	Primary string      `json:"primary"`
	Files   int         `json:"files"`
	Bytes   int64       `json:"bytes"`
	Facts   splat.Facts `json:"facts"`
	// Start is the spawn point of visitors; only a collision has one.
	Start *splat.Start `json:"start,omitempty"`
	// Warnings name the parts of the capture that were changed or left out.
	Warnings []string `json:"warnings,omitempty"`
}

// print prints the conversion to the path for people.
func (c *conversion) print(out io.Writer, path string) error {
	files := "files"
	if c.Files == 1 {
		files = "file"
	}
	_, err := fmt.Fprintf(out, "%s: %d %s, %d bytes\n", path, c.Files, files, c.Bytes)
	for _, warning := range c.Warnings {
		if err == nil {
			_, err = fmt.Fprintf(out, "warning: %s\n", warning)
		}
	}
	return err
}

// Run converts the capture. OUT has a temporary name until it is complete, so that a killed
// conversion leaves nothing that looks complete. The work runs in a child process of the same
// command line (see withMemoryLimit).
func (c *ConvertCommand) Run(ctx context.Context, in *command.Invocation) error {
	p := command.NewProgress(in, c.JSON)
	return p.Finish(c.withMemoryLimit(ctx, in, c.stagingFolder(), func(ctx context.Context) error {
		// All arguments are checked before the capture is read, which may take minutes.
		target, err := newTarget(c.Out, image.Pt(c.Width, c.Height))
		if err != nil {
			return err
		}
		if target.frames, err = c.frames(target); err != nil {
			return err
		}
		if target.collision, err = c.options(len(c.FilterFloaters) > 0); err != nil {
			return err
		}
		if err := target.checkUnused(); err != nil {
			return err
		}
		capture, err := c.open(ctx, target.draws(), p.Report)
		if err != nil {
			return err
		}
		result, err := target.convert(ctx, capture.Capture, splat.ConvertOptions{
			Workers: in.Config.Workers, Progress: p.Report, SPZVersion: c.SPZVersion,
		})
		if err := errors.Join(err, capture.Close()); err != nil {
			return err
		}
		return p.PrintResult(result, func(w io.Writer) error { return result.print(w, target.path) })
	}))
}

// frames returns the number of pictures of the turntable, or 0 without --turntable.
func (c *ConvertCommand) frames(t target) (int, error) {
	switch {
	case !c.Turntable:
		return 0, nil
	case t.extension != webp:
		return 0, fmt.Errorf("%s: a turntable is a .webp", t.path)
	}
	return c.TurntableFrames, nil
}

// open opens all inputs, applies their edits, and returns them as one merged capture. If draws is
// set, it also measures them, and so finds faults in parts that are not drawn. After an
// error nothing is open. Closing the result closes all inputs.
//
// The edits have the order of the command line. Edits after an input change this input alone. Edits
// after the last input change the whole, once all inputs are merged.
func (c *ConvertCommand) open(ctx context.Context, draws bool, report func(percent float64, message string)) (*openedCapture, error) {
	whole := &openedCapture{}
	var captures []*splat.Capture
	fail := func(err error) (*openedCapture, error) {
		for _, capture := range captures {
			err = errors.Join(err, capture.Close())
		}
		return nil, errors.Join(err, whole.closeFiles())
	}
	for _, file := range c.inputs {
		one, err := openCapture(ctx, file.path, splat.OpenOptions{SPZAxes: strings.ToUpper(c.SPZAxes)}, report)
		if err != nil {
			return fail(err)
		}
		captures, whole.closers = append(captures, one.Capture), append(whole.closers, one.closers...)
		// A picture needs only a part of the file, so it would hide what inspect calls damaged.
		if draws {
			if err := one.Measure(ctx); err != nil {
				return fail(err)
			}
		}
		// Before the merge, because each capture has its own edits, such as its position in
		// the merged capture.
		if err := one.Edit(ctx, file.edits); err != nil {
			return fail(err)
		}
	}
	merged, err := splat.Merge(captures...)
	if err != nil {
		return fail(err)
	}
	whole.Capture = merged
	if err := whole.Edit(ctx, c.edits); err != nil {
		return nil, errors.Join(err, whole.Close())
	}
	return whole, nil
}

// stagingFolder returns the folder in which the result is staged, or "" if OUT is not valid.
// withMemoryLimit removes what a killed child has left there.
func (c *ConvertCommand) stagingFolder() string {
	target, err := newTarget(c.Out, image.Point{})
	if err != nil {
		return ""
	}
	return filepath.Dir(target.path)
}

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
func (c *ConvertCommand) assignEdits(line *kong.Context) (inputs []inputFile, whole []splat.Edit) {
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
func (c *ConvertCommand) AfterApply(line *kong.Context) error {
	c.inputs, c.edits = c.assignEdits(line)
	return nil
}

// Arguments rewrites the arguments of the command line for kong, which parses the arguments of
// convert otherwise than splat-transform does.
//
// Each function rewrites the arguments for the next one. flagExtraInputs is last, because it counts
// the arguments that are not values of flags, so each value must already be attached to its flag or
// follow a flag that takes one.
func Arguments(app *kong.Application, args []string) []string {
	return flagExtraInputs(app, fillOptionalValues(joinNegativeNumbers(args)))
}

// extraInputFlag is the hidden flag for each input of "portico convert" between the first input
// and OUT. Kong cannot parse a list of files that has flags between its files.
const extraInputFlag = "extra-input"

// optionalValues returns the default value of each flag whose value is optional. Kong requires
// a value for every flag that is not a bool.
func optionalValues() map[string]string {
	const floaters = "0.05,0.1,0.004"
	return map[string]string{"-F": floaters, "--filter-floaters": floaters}
}

// numberList matches numbers that are separated by commas. An argument that does not match, such as
// OUT, is not the value of the flag before it.
var numberList = regexp.MustCompile(`^[0-9.]+(,[0-9.]+)*$`)

// fillOptionalValues returns the arguments with a value for each flag of optionalValues: the
// value that follows the flag, or the default. The arguments after "--" are not flags.
func fillOptionalValues(args []string) (complete []string) {
	for i := 0; i < len(args); i++ {
		if args[i] == "--" {
			return append(complete, args[i:]...)
		}
		value, ok := optionalValues()[args[i]]
		if !ok {
			complete = append(complete, args[i])
			continue
		}
		flag := strings.Replace(args[i], "-F", "--filter-floaters", 1)
		if i+1 < len(args) && numberList.MatchString(args[i+1]) {
			i++
			value = args[i]
		}
		complete = append(complete, flag+"="+value)
	}
	return complete
}

// flagExtraInputs returns the arguments of "portico convert" with each input between the first
// input and OUT as a value of extraInputFlag. It returns the arguments of other commands as they
// are.
//
// For example
//
//	convert A.ply -t 1,0,0 B.ply OUT.sog
//
// becomes
//
//	convert A.ply -t 1,0,0 --extra-input=B.ply OUT.sog
//
// The arguments keep their order, from which assignEdits sees the input that each edit follows.
func flagExtraInputs(app *kong.Application, args []string) []string {
	takesValue := map[string]bool{}
	for _, command := range app.Leaves(false) {
		for _, flags := range command.AllFlags(false) {
			for _, f := range flags {
				takesValue["--"+f.Name], takesValue["-"+string(f.Short)] = !f.IsBool(), !f.IsBool()
			}
		}
	}
	var words []int // the arguments that are neither flags nor their values
	for i := 0; i < len(args); i++ {
		switch {
		case args[i] == "--":
			return args // all arguments after "--" are positional
		case !strings.HasPrefix(args[i], "-") || args[i] == "-":
			words = append(words, i)
		case takesValue[args[i]]:
			i++
		}
	}
	// The name of the command, the first input and OUT are always there.
	const command, first, last = 1, 1, 1
	if len(words) <= command+first+last || args[words[0]] != "convert" {
		return args
	}
	marked := slices.Clone(args)
	for _, i := range words[command+first : len(words)-last] {
		marked[i] = "--" + extraInputFlag + "=" + args[i]
	}
	return marked
}

// negativeNumber matches an argument that starts with a negative number.
var negativeNumber = regexp.MustCompile(`^-\.?[0-9]`)

// joinNegativeNumbers joins each flag with the negative number that follows it, as in
// "-t -1,0,0". Kong would parse the number as a flag. No flag starts with a digit. The arguments
// after "--" stay as they are, because they are positional.
func joinNegativeNumbers(args []string) []string {
	var joined []string
	for i, arg := range args {
		last := len(joined) - 1
		switch {
		case arg == "--":
			return append(joined, args[i:]...)
		case last < 0 || !negativeNumber.MatchString(arg) || !strings.HasPrefix(joined[last], "-"):
			joined = append(joined, arg)
		case strings.HasPrefix(joined[last], "--"):
			joined[last] += "=" + arg
		default:
			joined[last] += arg
		}
	}
	return joined
}
