package model

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

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
