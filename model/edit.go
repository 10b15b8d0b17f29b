package model

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Edit is one change of a capture during its conversion: the name and the value of an
// option of splat-transform's command line.
type Edit struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Edits is a list of changes in their order, in JSON: jobs are compared. It is empty for
// none.
type Edits string

// List returns the changes.
func (e Edits) List() (edits []Edit, err error) {
	if e != "" {
		err = json.Unmarshal([]byte(e), &edits)
	}
	return edits, err
}

// EditInput is a change as clients send it. Exactly one field is set. Points and angles are
// in the coordinates of viewers, y up.
type EditInput struct {
	Translate       []float64     `json:"translate,omitempty" jsonschema:"Moves by an offset: x, y, z in metres, y up."`
	Rotate          []float64     `json:"rotate,omitempty" jsonschema:"Rotates about the origin by angles in degrees: about x, then y, then z."`
	Scale           *float64      `json:"scale,omitempty" jsonschema:"Scales about the origin by a factor from 0.000001 to 1000000."`
	FilterBox       *BoxFilter    `json:"filter_box,omitempty" jsonschema:"Keeps the Gaussians in a box."`
	FilterSphere    *SphereFilter `json:"filter_sphere,omitempty" jsonschema:"Keeps the Gaussians in a sphere."`
	FilterValue     *ValueFilter  `json:"filter_value,omitempty" jsonschema:"Keeps the Gaussians of which a property compares with a number."`
	FilterHarmonics *int          `json:"filter_harmonics,omitempty" jsonschema:"Removes spherical harmonics above a degree, 0 to 3."`
	FilterNaN       *bool         `json:"filter_nan,omitempty" jsonschema:"true removes broken Gaussians. They are always removed."`
}

// BoxFilter is a box between two corners.
type BoxFilter struct {
	Min []float64 `json:"min" jsonschema:"The corner with the smallest coordinates: x, y, z."`
	Max []float64 `json:"max" jsonschema:"The corner with the largest coordinates: x, y, z."`
}

// SphereFilter is a sphere.
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

// Comparison is how a value compares with a number.
type Comparison string

// The comparisons.
const (
	Less           Comparison = "lt"
	LessOrEqual    Comparison = "lte"
	Greater        Comparison = "gt"
	GreaterOrEqual Comparison = "gte"
	Equal          Comparison = "eq"
	NotEqual       Comparison = "neq"
)

// The limits of changes.
const (
	// maxEdits is the maximum number of changes of one conversion. Each filter reads the
	// capture once.
	maxEdits = 16
	// maxHarmonics is the highest degree to which spherical harmonics can be reduced.
	maxHarmonics   = 3
	minScaleFactor = 1e-6
	maxScaleFactor = 1e6
)

// newEdits checks the changes and returns them in the words of splat-transform.
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

// edit checks the change, whose field has this name, and returns it.
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
		edits, errs = append(edits, Edit{name, text}), append(errs, err)
	}
	add(in.Translate != nil, "translate", func(field string) (string, error) { return pointText(field, in.Translate) })
	add(in.Rotate != nil, "rotate", func(field string) (string, error) { return pointText(field, in.Rotate) })
	add(in.Scale != nil, "scale", in.scale)
	add(in.FilterBox != nil, "filter-box", func(field string) (string, error) { return in.FilterBox.text(field) })
	add(in.FilterSphere != nil, "filter-sphere", func(field string) (string, error) { return in.FilterSphere.text(field) })
	add(in.FilterValue != nil, "filter-value", func(field string) (string, error) { return in.FilterValue.text(field) })
	add(in.FilterHarmonics != nil, "filter-harmonics", in.harmonics)
	add(in.FilterNaN != nil, "filter-nan", in.nan)
	if len(edits) != 1 {
		return Edit{}, InvalidField(field, "must have exactly one change")
	}
	return edits[0], errs[0]
}

func (in *EditInput) scale(field string) (string, error) {
	if !(*in.Scale >= minScaleFactor && *in.Scale <= maxScaleFactor) { // also for NaN
		return "", InvalidField(field, "must be from 0.000001 to 1000000")
	}
	return numberText(*in.Scale), nil
}

func (in *EditInput) harmonics(field string) (string, error) {
	if *in.FilterHarmonics < 0 || *in.FilterHarmonics > maxHarmonics {
		return "", InvalidField(field, fmt.Sprintf("must be a degree from 0 to %d", maxHarmonics))
	}
	return strconv.Itoa(*in.FilterHarmonics), nil
}

func (in *EditInput) nan(field string) (string, error) {
	if !*in.FilterNaN {
		return "", InvalidField(field, "must be true: broken Gaussians are always removed")
	}
	return "", nil
}

// text returns the value of the option.
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

// text returns the value of the option.
func (s SphereFilter) text(field string) (string, error) {
	center, err := pointText(field+".center", s.Center)
	if err != nil {
		return "", err
	}
	if !(s.Radius > 0 && s.Radius <= maxCoordinate) {
		return "", InvalidField(field+".radius", "must be above 0, and at most 1000000")
	}
	return center + "," + numberText(s.Radius), nil
}

// properties are the properties by which Gaussians are filtered, without _raw.
var properties = []string{"x", "y", "z", "opacity", "scale_0", "scale_1", "scale_2", "f_dc_0", "f_dc_1", "f_dc_2"}

// text returns the value of the option.
func (v ValueFilter) text(field string) (string, error) {
	if !slices.Contains(properties, strings.TrimSuffix(v.Property, "_raw")) {
		return "", InvalidField(field+".property", "must be one of "+strings.Join(properties, ", ")+", with or without _raw")
	}
	if !slices.Contains([]Comparison{Less, LessOrEqual, Greater, GreaterOrEqual, Equal, NotEqual}, v.Comparison) {
		return "", InvalidField(field+".comparison", "must be one of lt, lte, gt, gte, eq, neq")
	}
	if math.IsNaN(v.Value) || math.IsInf(v.Value, 0) {
		return "", InvalidField(field+".value", "must be a finite number")
	}
	return v.Property + "," + string(v.Comparison) + "," + numberText(v.Value), nil
}

// pointText returns three numbers as an option has them.
func pointText(field string, point []float64) (string, error) {
	if err := checkPoint(field, point); err != nil {
		return "", err
	}
	return numberText(point[0]) + "," + numberText(point[1]) + "," + numberText(point[2]), nil
}

// numberText returns a number that is read back exactly.
func numberText(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
