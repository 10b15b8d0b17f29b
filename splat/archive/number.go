package archive

import (
	"fmt"
	"strconv"
)

// overLimit returns a text with a number and its limit: "100,001 bytes, at most 100,000".
func overLimit[T int | int64](n uint64, unit string, limit T) string {
	return fmt.Sprintf("%s %s, at most %s", withCommas(n), unit, withCommas(limit))
}

// withCommas returns a number with a comma between thousands, so that a user can
// read sizes of ten digits.
func withCommas[T int | int64 | uint64](n T) string {
	digits := strconv.FormatUint(uint64(max(n, 0)), 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
