package records_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"portico/splat/records"
)

// Many requests are sorted in another way than few. Counts at the borders of a digit take
// another number of passes.
func TestNewRequests_sorts_any_number(t *testing.T) {
	t.Parallel()
	for _, count := range []int{1, 2, 2047, 2048, 2049, 5000, 1 << 22, 1<<22 + 1} {
		random := rand.New(rand.NewPCG(1, uint64(count)))
		numbers := make([]uint32, min(2*count, 20_000)) // some twice
		for i := range numbers {
			numbers[i] = uint32(random.IntN(count))
		}
		numbers[0] = uint32(count - 1)
		got, err := records.NewRequests(numbers, count)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.IsSorted(got) {
			t.Errorf("%d rows: not sorted", count)
		}
		slots := make([]bool, len(numbers))
		for _, r := range got {
			slot := uint32(r)
			if slots[slot] || numbers[slot] != uint32(r>>32) {
				t.Fatalf("%d rows: slot %d is requested twice, or for row %d instead of %d", count, slot, r>>32, numbers[slot])
			}
			slots[slot] = true
		}
	}
}
