package edit

import (
	"fmt"
	"math"
	"strings"

	"portico/splat/gaussian"
)

// Value returns a filter that compares a property of each Gaussian with a number. The names are the
// names of PLY: x, y, z, opacity, scale_0 to scale_2, f_dc_0 to f_dc_2. Opacities and colours are
// from 0 to 1, scales in metres, and positions with y up; a name with the suffix "_raw" means the
// value in a PLY file. The comparisons are lt, lte, gt, gte, eq and neq. Numbers are compared as
// float64, so eq is seldom true for values that were float32.
func Value(name, comparison string, number float64) (Keep, error) {
	value, ok := valueOf(name)
	if !ok {
		return nil, fmt.Errorf("there is no property %q to filter by", name)
	}
	compare, ok := comparisons()[comparison]
	if !ok {
		return nil, fmt.Errorf("%q is not a comparison: use lt, lte, gt, gte, eq or neq", comparison)
	}
	return func(c *gaussian.Cloud, i int) bool { return compare(value(c, i), number) }, nil
}

func comparisons() map[string]func(a, b float64) bool {
	return map[string]func(a, b float64) bool{
		"lt": func(a, b float64) bool { return a < b }, "lte": func(a, b float64) bool { return a <= b },
		"gt": func(a, b float64) bool { return a > b }, "gte": func(a, b float64) bool { return a >= b },
		"eq": func(a, b float64) bool { return a == b }, "neq": func(a, b float64) bool { return a != b },
	}
}

// valueOf returns the function that reads a property in the units of Value, or as PLY stores it
// with the suffix "_raw". It reports false for an unknown name.
func valueOf(name string) (func(c *gaussian.Cloud, i int) float64, bool) {
	name, raw := strings.CutSuffix(name, "_raw")
	if axis := strings.Index("xyz", name); len(name) == 1 && axis >= 0 {
		return func(c *gaussian.Cloud, i int) float64 {
			if raw {
				return float64(c.Positions[3*i+axis])
			}
			return centre(c, i)[axis]
		}, true
	}
	if name == "opacity" {
		return func(c *gaussian.Cloud, i int) float64 {
			if raw {
				return float64(gaussian.Logit(c.Opacities[i]))
			}
			return float64(c.Opacities[i])
		}, true
	}
	for k := range 3 {
		switch name {
		case fmt.Sprintf("scale_%d", k):
			return func(c *gaussian.Cloud, i int) float64 {
				if raw {
					return float64(c.Scales[3*i+k])
				}
				return math.Exp(float64(c.Scales[3*i+k]))
			}, true
		case fmt.Sprintf("f_dc_%d", k):
			return func(c *gaussian.Cloud, i int) float64 {
				if raw {
					return float64(c.Colours[3*i+k])
				}
				return 0.5 + gaussian.C0*float64(c.Colours[3*i+k])
			}, true
		}
	}
	return nil, false
}
