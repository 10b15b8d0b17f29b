package edit

import (
	"context"
	"errors"
	"math"
	"slices"

	"portico/splat/gaussian"
)

// Outliers are farther from the middle than outlierDistance times the distance within which
// nearMost of all Gaussians are, and are at most maxOutliers of all. Renderers sort by a depth of 16
// bits or so between the nearest and the farthest Gaussian, so outliers break the order of all
// others. A sky is much nearer.
const (
	nearMost        = 0.9
	outlierDistance = 1000.0
	maxOutliers     = 0.01
)

// parseOutliers returns a filter that removes outliers. It has no value.
func parseOutliers(value string) (Step, error) {
	if value != "" {
		return nil, errors.New("it has no value")
	}
	return withoutOutliers, nil
}

// withoutOutliers returns the source without the Gaussians that are far outside, or the source itself
// if there are none. The finest level decides for all. It needs 20 bytes of memory for each Gaussian
// of the finest level.
func withoutOutliers(ctx context.Context, source gaussian.Source) (gaussian.Source, error) {
	counts := source.Levels()
	if len(counts) == 0 || counts[0] == 0 {
		return source, nil
	}
	positions := make([]float32, 3*counts[0])
	if err := source.Positions(ctx, 0, positions, nil); err != nil {
		return nil, err
	}
	values := make([]float64, 0, counts[0])
	var middle [3]float64
	for k := range middle {
		values = values[:0]
		for i := k; i < len(positions); i += 3 {
			if v := float64(positions[i]); !math.IsNaN(v) {
				values = append(values, v)
			}
		}
		if len(values) == 0 {
			return source, nil
		}
		slices.Sort(values)
		middle[k] = values[len(values)/2]
	}
	distance := func(p []float32) float64 {
		d := [3]float64{float64(p[0]) - middle[0], float64(p[1]) - middle[1], float64(p[2]) - middle[2]}
		return math.Sqrt(d[0]*d[0] + d[1]*d[1] + d[2]*d[2])
	}
	values = values[:0]
	for i := 0; i < len(positions); i += 3 {
		if d := distance(positions[i : i+3]); !math.IsNaN(d) {
			values = append(values, d)
		}
	}
	slices.Sort(values)
	if len(values) == 0 {
		return source, nil
	}
	limit := outlierDistance * values[int(nearMost*float64(len(values)-1))]
	first, _ := slices.BinarySearch(values, limit)
	for first < len(values) && values[first] <= limit {
		first++
	}
	if far := len(values) - first; far == 0 || float64(far) > maxOutliers*float64(len(values)) {
		return source, nil
	}
	return Filter(ctx, source, func(c *gaussian.Cloud, i int) bool { return distance(c.Positions[3*i:3*i+3]) <= limit })
}
