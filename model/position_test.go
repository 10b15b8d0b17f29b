package model

import "testing"

func TestPosition_compare(t *testing.T) {
	t.Parallel()
	ordered := []Position{{"9", 7}, {"10", 1}, {"10", 2}, {"11", 0}, {"18446744073709551615", 0}}
	for i, a := range ordered {
		for j, b := range ordered {
			if got := a.Compare(b); (got < 0) != (i < j) || (got > 0) != (i > j) {
				t.Errorf("%v to %v: got %d", a, b, got)
			}
		}
	}
}
