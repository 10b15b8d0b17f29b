package edit

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"portico/splat/gaussian"
)

// Step returns a source with the changed Gaussians of another source. The result reads the other
// source later, so that must stay open. Filters also read it once when they are applied.
type Step func(ctx context.Context, source gaussian.Source) (gaussian.Source, error)

// Parse returns the step for an option of splat-transform's command line: translate and
// rotate with "x,y,z", scale with a factor, filter-nan without a value, filter-box with
// "x,y,z,X,Y,Z", filter-sphere with "x,y,z,radius", filter-value with
// "name,comparison,value", filter-floaters with "size,opacity,contribution" or without a
// value, filter-outliers without a value, filter-harmonics with a degree, and decimate with a count or "n%".
func Parse(name, value string) (Step, error) {
	parse, ok := map[string]func(value string) (Step, error){
		"translate": parseTranslate, "rotate": parseRotate, "scale": parseScale,
		"filter-nan": parseNaN, "filter-box": parseBox, "filter-sphere": parseSphere,
		"filter-value": parseValue, "filter-harmonics": parseHarmonics,
		"filter-floaters": parseFloaters, "filter-outliers": parseOutliers, "decimate": parseDecimate,
	}[name]
	if !ok {
		return nil, fmt.Errorf("there is no step %q", name)
	}
	step, err := parse(value)
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", name, err)
	}
	return step, nil
}

// numbers parses finite numbers that are separated by commas.
func numbers(value string, count int) ([]float64, error) {
	words := strings.Split(value, ",")
	if len(words) != count {
		return nil, fmt.Errorf("%q has %d numbers instead of %d", value, len(words), count)
	}
	all := make([]float64, count)
	for i, word := range words {
		v, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("%q is not a finite number", word)
		}
		all[i] = v
	}
	return all, nil
}

// parseTranslate parses an offset in metres, with y up.
func parseTranslate(value string) (Step, error) {
	v, err := numbers(value, 3)
	if err != nil {
		return nil, err
	}
	return func(_ context.Context, s gaussian.Source) (gaussian.Source, error) {
		return Translate(s, [3]float64(v)), nil
	}, nil
}

// parseRotate parses three angles in degrees, about x, y and z.
func parseRotate(value string) (Step, error) {
	v, err := numbers(value, 3)
	if err != nil {
		return nil, err
	}
	return func(_ context.Context, s gaussian.Source) (gaussian.Source, error) {
		return Rotate(s, [3]float64(v)), nil
	}, nil
}

// The limits of the factor of a scale.
const minScale, maxScale = 1e-6, 1e6

// parseScale parses a factor. With its limits, every coordinate and every logarithm of a scale
// is a finite float32. No capture has a unit that differs more from the metre.
func parseScale(value string) (Step, error) {
	v, err := numbers(value, 1)
	if err == nil && !(v[0] >= minScale && v[0] <= maxScale) {
		err = fmt.Errorf("%s is not between %f and %.0f", value, minScale, maxScale)
	}
	if err != nil {
		return nil, err
	}
	return func(_ context.Context, s gaussian.Source) (gaussian.Source, error) { return Scale(s, v[0]), nil }, nil
}

// parseNaN returns a filter that keeps all Gaussians: Filter itself removes broken ones.
func parseNaN(string) (Step, error) { //nolint:unparam // the form of all parsers
	return filter(func(*gaussian.Cloud, int) bool { return true }), nil
}

// parseBox parses two corners. If the lower corner is above the upper one, the filter keeps
// nothing, as in splat-transform.
func parseBox(value string) (Step, error) {
	v, err := numbers(value, 6)
	if err != nil {
		return nil, err
	}
	return filter(Box([3]float64(v[:3]), [3]float64(v[3:]))), nil
}

// parseSphere parses a centre and a radius.
func parseSphere(value string) (Step, error) {
	v, err := numbers(value, 4)
	if err != nil {
		return nil, err
	}
	return filter(Sphere([3]float64(v[:3]), v[3])), nil
}

// parseValue parses a comparison: a property, an operator and a number, separated by commas.
func parseValue(value string) (Step, error) {
	words := strings.Split(value, ",")
	if len(words) != 3 {
		return nil, fmt.Errorf("%q is not a name, a comparison and a value", value)
	}
	v, err := numbers(words[2], 1)
	if err != nil {
		return nil, err
	}
	keep, err := Value(words[0], words[1], v[0])
	if err != nil {
		return nil, err
	}
	return filter(keep), nil
}

// parseHarmonics parses the degree of filter-harmonics, which has its name from splat-transform but
// removes no Gaussians: it limits the harmonics of each.
func parseHarmonics(value string) (Step, error) {
	if !slices.Contains([]string{"0", "1", "2", "3"}, value) {
		return nil, fmt.Errorf("%q is not a degree from 0 to 3", value)
	}
	return func(_ context.Context, s gaussian.Source) (gaussian.Source, error) {
		return gaussian.LimitDegree(s, int(value[0]-'0')), nil
	}, nil
}

// filter returns the step that leaves the Gaussians for which keep returns true.
func filter(keep Keep) Step {
	return func(ctx context.Context, s gaussian.Source) (gaussian.Source, error) { return Filter(ctx, s, keep) }
}
