package model

import (
	"encoding/json"
	"math"
	"testing"
)

func TestFileSize_is_a_whole_number_of_any_length(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]FileSize{
		"0": 0, "1": 1, "-1": -1, "20000000000": 20_000_000_000,
		"9223372036854775807": math.MaxInt64, "9223372036854775808": math.MaxInt64, "99999999999999999999999": math.MaxInt64,
		"-9223372036854775809": math.MinInt64,
		"3.0":                  3, "1e1": 10, "1.5e1": 15, "-2.00": -2, "0.0": 0, "-0.0": 0, "0e999999999": 0, "1200e-2": 12, "1e99": math.MaxInt64,
		"9007199254740993.0": 9007199254740993,
	} {
		var size FileSize
		if err := json.Unmarshal([]byte(text), &size); err != nil || size != want {
			t.Errorf("%s: got %d, %v, want %d", text, size, err, want)
		}
		size = 0
		if err := size.UnmarshalGQL(json.Number(text)); err != nil || size != want {
			t.Errorf("%s of GraphQL: got %d, %v, want %d", text, size, err, want)
		}
	}
	for _, text := range []string{"1.5", "15e-1", "1e-999999999", "0.001", "1e400", "1e99999999999999999999", `"1"`, "true", "{}", "[]"} {
		var size FileSize
		if err := json.Unmarshal([]byte(text), &size); err == nil {
			t.Errorf("%s: got %d, want an error", text, size)
		}
	}
	for _, value := range []any{"1", "", true, 1.5, nil, map[string]any{}, []any{1}} {
		var size FileSize
		if err := size.UnmarshalGQL(value); err == nil {
			t.Errorf("%v of GraphQL: got %d, want an error", value, size)
		}
	}
}
