package palette

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRankKey_sorts_by_weight_and_then_by_number(t *testing.T) {
	t.Parallel()
	keys := []uint64{rankKey(3e30, 0), rankKey(0.5, 7), rankKey(0, 9), rankKey(0.5, 2), rankKey(1e-40, 1)}
	slices.Sort(keys)
	var numbers []uint32
	var weights []float32
	for _, key := range keys {
		numbers, weights = append(numbers, rankNumber(key)), append(weights, rankWeight(key))
	}
	if diff := cmp.Diff([]uint32{9, 1, 2, 7, 0}, numbers); diff != "" {
		t.Errorf("numbers (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]float32{0, 1e-40, 0.5, 0.5, 3e30}, weights); diff != "" {
		t.Errorf("weights (-want +got):\n%s", diff)
	}
}
