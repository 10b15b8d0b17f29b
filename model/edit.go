package model

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
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

// BoxFilter keeps the Gaussians whose centre is in a box between two corners.
type BoxFilter struct {
	Min []float64 `json:"min" jsonschema:"The corner with the smallest coordinates: x, y, z."`
	Max []float64 `json:"max" jsonschema:"The corner with the largest coordinates: x, y, z."`
}

// SphereFilter keeps the Gaussians whose centre is in a sphere.
type SphereFilter struct {
	Center []float64 `json:"center" jsonschema:"The centre: x, y, z."`
	Radius float64   `json:"radius" jsonschema:"The radius in metres, above 0."`
}

// ValueFilter compares a property of a Gaussian with a number.
type ValueFilter struct {
	Property   string     `json:"property" jsonschema:"x, y, z, opacity, scale_0 to scale_2 or f_dc_0 to f_dc_2, with _raw after it for the value in a PLY file."`
	Comparison Comparison `json:"comparison" jsonschema:"lt, lte, gt, gte, eq or neq."`
	Value      float64    `json:"value" jsonschema:"The number: an opacity or a colour from 0 to 1, a size or a coordinate in metres."`
}

// FloaterFilter removes Gaussians that contribute to no solid voxel. An omitted field has the
// default of splat-transform.
type FloaterFilter struct {
	Size         *float64 `json:"size,omitempty" jsonschema:"The side of a voxel in metres, from 0.001 to 1000; 0.05 when omitted."`
	Opacity      *float64 `json:"opacity,omitempty" jsonschema:"The opacity from which a voxel is solid, above 0 and below 1; 0.1 when omitted."`
	Contribution *float64 `json:"contribution,omitempty" jsonschema:"The smallest contribution to a solid voxel that counts, 0 to 1; 0.004 when omitted."`
}

// Comparison is how a value compares with a number.
type Comparison string

// The values are the words that splat-transform uses in its option --filter-value.
const (
	Less           Comparison = "lt"
	LessOrEqual    Comparison = "lte"
	Greater        Comparison = "gt"
	GreaterOrEqual Comparison = "gte"
	Equal          Comparison = "eq"
	NotEqual       Comparison = "neq"
)

// text returns the filter as the value of its option. Errors name field.
func (b BoxFilter) text(field string) (string, error) {
	low, err := pointText(field+".min", b.Min)
	if err != nil {
		return "", err
	}
	high, err := pointText(field+".max", b.Max)
	if err != nil {
		return "", err
	}
	for k := range 3 {
		if b.Min[k] > b.Max[k] {
			return "", InvalidField(field, "must have a min that is not above its max")
		}
	}
	return low + "," + high, nil
}

// text returns the filter as the value of its option. Errors name field.
func (s SphereFilter) text(field string) (string, error) {
	center, err := pointText(field+".center", s.Center)
	if err != nil {
		return "", err
	}
	if !(s.Radius > 0 && s.Radius <= maxCoordinate) {
		return "", InvalidField(field+".radius", fmt.Sprintf("must be above 0, and at most %.0f", maxCoordinate))
	}
	return center + "," + numberText(s.Radius), nil
}

// properties are the properties by which Gaussians can be filtered, without the suffix _raw.
var properties = []string{"x", "y", "z", "opacity", "scale_0", "scale_1", "scale_2", "f_dc_0", "f_dc_1", "f_dc_2"}

// text returns the filter as the value of its option. Errors name field.
func (v ValueFilter) text(field string) (string, error) {
	if !slices.Contains(properties, strings.TrimSuffix(v.Property, "_raw")) {
		return "", InvalidField(field+".property", "must be one of "+strings.Join(properties, ", ")+", with or without _raw")
	}
	comparisons := []Comparison{Less, LessOrEqual, Greater, GreaterOrEqual, Equal, NotEqual}
	if err := checkOneOf(field+".comparison", v.Comparison, comparisons); err != nil {
		return "", err
	}
	if math.IsNaN(v.Value) || math.IsInf(v.Value, 0) {
		return "", InvalidField(field+".value", "must be a finite number")
	}
	return v.Property + "," + string(v.Comparison) + "," + numberText(v.Value), nil
}

// text returns the filter as the value of its option. Errors name field.
func (f FloaterFilter) text(field string) (string, error) {
	size, opacity, contribution := cmp.Or(f.Size, new(0.05)), cmp.Or(f.Opacity, new(0.1)), cmp.Or(f.Contribution, new(0.004))
	switch { // negated, because every comparison with NaN is false
	case !(*size >= minVoxel && *size <= maxVoxel):
		return "", InvalidField(field+".size", "must be from 0.001 to 1000")
	case !(*opacity > 0 && *opacity < 1):
		return "", InvalidField(field+".opacity", "must be above 0 and below 1")
	case !(*contribution >= 0 && *contribution <= 1):
		return "", InvalidField(field+".contribution", "must be from 0 to 1")
	}
	return numberText(*size) + "," + numberText(*opacity) + "," + numberText(*contribution), nil
}

// Decimation is how many Gaussians remain. Exactly one field is set.
type Decimation struct {
	Count   *int     `json:"count,omitempty" jsonschema:"The number of Gaussians that are left, at least 1."`
	Percent *float64 `json:"percent,omitempty" jsonschema:"The share of the Gaussians that is left, above 0 and up to 100."`
}

// MergedFile is another file with its placement: it is scaled, then rotated, then moved.
type MergedFile struct {
	ResourceKey string    `json:"resource_key" jsonschema:"The file to add."`
	Scale       *float64  `json:"scale,omitempty" jsonschema:"Scales the added file about the origin by a factor from 0.000001 to 1000000."`
	Rotate      []float64 `json:"rotate,omitempty" jsonschema:"Rotates the added file about the origin by angles in degrees: about x, then y, then z."`
	Translate   []float64 `json:"translate,omitempty" jsonschema:"Moves the added file by an offset: x, y, z in metres, y up."`
}

// text returns the decimation as the value of its option. Errors name field.
func (d Decimation) text(field string) (string, error) {
	switch {
	case (d.Count == nil) == (d.Percent == nil):
		return "", InvalidField(field, "must have either a count or a percent")
	case d.Count != nil:
		if *d.Count < 1 || *d.Count >= math.MaxInt32 {
			return "", InvalidField(field+".count", fmt.Sprintf("must be from 1 to %d", math.MaxInt32-1))
		}
		return strconv.Itoa(*d.Count), nil
	case !(*d.Percent > 0 && *d.Percent <= 100): // also for NaN
		return "", InvalidField(field+".percent", "must be above 0, and at most 100")
	}
	return numberText(*d.Percent) + "%", nil
}

// placement validates how the merged file is placed, and returns that as edits of the file.
func (m MergedFile) placement(field string) (edits []Edit, err error) {
	add := func(name, text string, failed error) {
		edits = append(edits, Edit{Name: name, Value: text})
		if err == nil {
			err = failed
		}
	}
	if m.Scale != nil {
		text, err := scaleText(field+".scale", *m.Scale)
		add("scale", text, err)
	}
	if m.Rotate != nil {
		text, err := pointText(field+".rotate", m.Rotate)
		add("rotate", text, err)
	}
	if m.Translate != nil {
		text, err := pointText(field+".translate", m.Translate)
		add("translate", text, err)
	}
	return edits, err
}

// CheckMerged refuses a file to merge that does not exist, by the error of find, or that has no
// Gaussians.
func (in ConvertFile) CheckMerged(find func(resourceKey string) (*File, error)) error {
	for i, edit := range in.Edits {
		if edit == nil || edit.Merge == nil {
			continue
		}
		field := fmt.Sprintf("edits.%d.merge.resource_key", i)
		file, err := find(edit.Merge.ResourceKey)
		if missing, ok := errors.AsType[*Error](err); ok {
			return missing.WithField(field)
		}
		if err != nil {
			return err
		}
		if _, err := file.checkGaussians(field); err != nil {
			return err
		}
	}
	return nil
}
