package palette

import (
	"context"
	"errors"
	"math"
	"testing"
)

func TestMoreDistinctThan_counts_points_once(t *testing.T) {
	t.Parallel()
	zero := float32(math.Copysign(0, -1))
	points := []float32{1, 2, 2, 1, 1, 2, 0, 0, zero, 0, 0, zero, 2, 1} // three distinct points of two values
	for size, want := range map[int]bool{1: true, 2: true, 3: false, 9: false} {
		got, err := hasMoreDistinct(t.Context(), points, 2, size)
		if got != want || err != nil {
			t.Errorf("more than %d differ = %v, %v, want %v", size, got, err, want)
		}
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := hasMoreDistinct(ended, points, 2, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v, want the context's", err)
	}
}
