package model

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"reflect"
	"strconv"
	"strings"
)

// FileSize is a number of bytes in a client's input. A number beyond 64 bits becomes the largest or
// smallest int64, so that it is refused with the same error as any size over the maximum.
type FileSize int64

// UnmarshalJSON implements json.Unmarshaler for whole numbers.
func (s *FileSize) UnmarshalJSON(b []byte) error {
	size, err := parseFileSize(string(b))
	if err != nil {
		return &json.UnmarshalTypeError{Value: rawKind(b), Type: reflect.TypeFor[FileSize]()}
	}
	*s = size
	return nil
}

// parseFileSize parses a decimal number without a fraction, an exponent or a plus sign. It returns
// the nearest int64 for a number beyond 64 bits.
func parseFileSize(text string) (FileSize, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err == nil && !strings.HasPrefix(text, "+") {
		return FileSize(n), nil
	}
	digits, negative := strings.CutPrefix(text, "-")
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return 0, fmt.Errorf("%q is not a whole number", text)
	}
	if negative {
		return math.MinInt64, nil
	}
	return math.MaxInt64, nil
}

// MarshalGQL writes scalar Int64.
func (s FileSize) MarshalGQL(w io.Writer) {
	if _, err := io.WriteString(w, strconv.FormatInt(int64(s), 10)); err != nil { // a response buffer, which does not fail
		return
	}
}

// UnmarshalGQL reads scalar Int64.
func (s *FileSize) UnmarshalGQL(v any) error {
	size, err := parseFileSize(fmt.Sprint(v))
	if err != nil {
		return Invalidf("must be a whole number")
	}
	*s = size
	return nil
}
