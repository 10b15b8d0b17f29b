package model

import (
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strconv"
)

// FileSize is a number of bytes in a client's input. A number beyond 64 bits becomes the largest or
// smallest int64, so that it is refused with the same error as any size over the maximum.
type FileSize int64

// UnmarshalJSON implements json.Unmarshaler for whole numbers.
func (s *FileSize) UnmarshalJSON(b []byte) error {
	size, ok := parseFileSize(string(b))
	if !ok {
		return &json.UnmarshalTypeError{Value: rawKind(b), Type: reflect.TypeFor[FileSize]()}
	}
	*s = size
	return nil
}

// parseFileSize parses a whole number in JSON. It returns the nearest int64 for a number beyond 64
// bits.
func parseFileSize(text string) (size FileSize, ok bool) {
	digits, ok := WholeNumber(text)
	if !ok {
		return 0, false
	}
	n, _ := strconv.ParseInt(digits, 10, 64) // ErrRange comes with the nearest int64
	return FileSize(n), true
}

// MarshalGQL writes scalar Int64.
func (s FileSize) MarshalGQL(w io.Writer) {
	if _, err := io.WriteString(w, strconv.FormatInt(int64(s), 10)); err != nil { // a response buffer, which does not fail
		return
	}
}

// UnmarshalGQL reads scalar Int64: a number of a variable or of a literal.
func (s *FileSize) UnmarshalGQL(v any) error {
	size, ok := FileSize(0), false
	if _, isText := v.(string); !isText { // the digits of a text are no number
		size, ok = parseFileSize(fmt.Sprint(v))
	}
	if !ok {
		return Invalidf("must be a whole number")
	}
	*s = size
	return nil
}
