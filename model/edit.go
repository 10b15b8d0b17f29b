package model

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Edit is one change of a capture during its conversion: the name and the value of an
// option of splat-transform's command line.
//
// Only the edit named MergeEdit is not an option of splat-transform. Its value is the resource key
// of a file.
type Edit struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	// Edits are the changes of a merged file before it is merged.
	Edits []Edit `json:"edits,omitempty"`
}

// Edits is a list of edits as JSON text, so that the edits of two jobs can be compared. It is empty
// for no edits.
type Edits string

// List parses the text; nil for no edits.
func (e Edits) List() (edits []Edit, err error) {
	if e != "" {
		err = json.Unmarshal([]byte(e), &edits)
	}
	return edits, err
}

// EditInput is a change as clients send it. Exactly one field is set. Points and angles are
// in the coordinates of viewers, y up.
type EditInput struct {
	Translate       []float64      `json:"translate,omitempty" jsonschema:"Moves by an offset: x, y, z in metres, y up."`
	Rotate          []float64      `json:"rotate,omitempty" jsonschema:"Rotates about the origin by angles in degrees: about x, then y, then z."`
	Scale           *float64       `json:"scale,omitempty" jsonschema:"Scales about the origin by a factor from 0.000001 to 1000000."`
	FilterBox       *BoxFilter     `json:"filter_box,omitempty" jsonschema:"Keeps the Gaussians in a box."`
	FilterSphere    *SphereFilter  `json:"filter_sphere,omitempty" jsonschema:"Keeps the Gaussians in a sphere."`
	FilterValue     *ValueFilter   `json:"filter_value,omitempty" jsonschema:"Keeps the Gaussians of which a property compares with a number."`
	FilterHarmonics *int           `json:"filter_harmonics,omitempty" jsonschema:"Removes spherical harmonics above a degree, 0 to 3."`
	FilterFloaters  *FloaterFilter `json:"filter_floaters,omitempty" jsonschema:"Removes Gaussians that float: those that contribute to no solid voxel. An empty object takes the defaults."`
	FilterNaN       *bool          `json:"filter_nan,omitempty" jsonschema:"true removes broken Gaussians. They are always removed."`
	Decimate        *Decimation    `json:"decimate,omitempty" jsonschema:"Merges neighbours until a number of Gaussians is left."`
	Merge           *MergedFile    `json:"merge,omitempty" jsonschema:"Adds the Gaussians of another file of yours. Later changes apply to all of them."`
}

const (
	// maxEdits is the maximum number of changes of one conversion. Each filter reads the
	// capture once.
	maxEdits = 16
	// maxHarmonics is the highest degree to which spherical harmonics can be reduced.
	maxHarmonics = 3
	// minScaleFactor and maxScaleFactor limit the factor by which a capture is scaled.
	minScaleFactor = 1e-6
	maxScaleFactor = 1e6
	// minVoxel and maxVoxel limit the voxels of the filter of floaters, in metres.
	minVoxel = 1e-3
	maxVoxel = 1e3
)

// MergeEdit is the name of the change that adds the Gaussians of another file.
const MergeEdit = "merge"

// newEdits validates the changes and returns them as options of splat-transform.
func newEdits(inputs []*EditInput) (Edits, error) {
	if len(inputs) == 0 {
		return "", nil
	}
	if len(inputs) > maxEdits {
		return "", InvalidField("edits", fmt.Sprintf("must have at most %d changes", maxEdits))
	}
	edits := make([]Edit, len(inputs))
	for i, in := range inputs {
		var err error
		if edits[i], err = in.edit(fmt.Sprintf("edits.%d", i)); err != nil {
			return "", err
		}
	}
	text, err := json.Marshal(edits)
	return Edits(text), err
}

// edit validates the change and returns it as an option. The error names field.
func (in *EditInput) edit(field string) (Edit, error) {
	if in == nil {
		in = &EditInput{}
	}
	var edits []Edit
	var errs []error
	add := func(set bool, name string, value func(field string) (string, error)) {
		if !set {
			return
		}
		text, err := value(field + "." + strings.ReplaceAll(name, "-", "_"))
		edits, errs = append(edits, Edit{Name: name, Value: text}), append(errs, err)
	}
	add(in.Translate != nil, "translate", func(field string) (string, error) { return pointText(field, in.Translate) })
	add(in.Rotate != nil, "rotate", func(field string) (string, error) { return pointText(field, in.Rotate) })
	add(in.Scale != nil, "scale", func(field string) (string, error) { return scaleText(field, *in.Scale) })
	add(in.FilterBox != nil, "filter-box", func(field string) (string, error) { return in.FilterBox.text(field) })
	add(in.FilterSphere != nil, "filter-sphere", func(field string) (string, error) { return in.FilterSphere.text(field) })
	add(in.FilterValue != nil, "filter-value", func(field string) (string, error) { return in.FilterValue.text(field) })
	add(in.FilterHarmonics != nil, "filter-harmonics", in.harmonicsText)
	add(in.FilterFloaters != nil, "filter-floaters", func(field string) (string, error) { return in.FilterFloaters.text(field) })
	add(in.FilterNaN != nil, "filter-nan", in.nanText)
	add(in.Decimate != nil, "decimate", func(field string) (string, error) { return in.Decimate.text(field) })
	var placement []Edit
	add(in.Merge != nil, MergeEdit, func(field string) (_ string, err error) {
		placement, err = in.Merge.placement(field)
		return in.Merge.ResourceKey, err
	})
	if len(edits) != 1 {
		return Edit{}, InvalidField(field, "must have exactly one change")
	}
	edits[0].Edits = placement
	return edits[0], errs[0]
}

// scaleText returns a scale factor in the form of an option.
func scaleText(field string, factor float64) (string, error) {
	if !(factor >= minScaleFactor && factor <= maxScaleFactor) { // also for NaN
		return "", InvalidField(field, fmt.Sprintf("must be from %f to %.0f", minScaleFactor, maxScaleFactor))
	}
	return numberText(factor), nil
}

func (in *EditInput) harmonicsText(field string) (string, error) {
	if *in.FilterHarmonics < 0 || *in.FilterHarmonics > maxHarmonics {
		return "", InvalidField(field, fmt.Sprintf("must be a degree from 0 to %d", maxHarmonics))
	}
	return strconv.Itoa(*in.FilterHarmonics), nil
}

func (in *EditInput) nanText(field string) (string, error) {
	if !*in.FilterNaN {
		return "", InvalidField(field, "must be true: broken Gaussians are always removed")
	}
	return "", nil
}

// pointText returns three coordinates in the form of an option.
func pointText(field string, point []float64) (string, error) {
	if err := checkPoint(field, point); err != nil {
		return "", err
	}
	return numberText(point[0]) + "," + numberText(point[1]) + "," + numberText(point[2]), nil
}

// numberText returns the shortest text that parses as exactly the same number.
func numberText(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
