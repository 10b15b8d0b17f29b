package property

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"strings"
)

// number returns the exact value of a JSON number, so that 1E2 equals 100.
type number string

// parse parses JSON with exact numbers.
func parse(text string) (any, error) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, fmt.Errorf("read %s: %w", text, err)
	}
	return exact(value), nil
}

// exact converts numbers to a form that equal numbers share.
func exact(value any) any {
	switch v := value.(type) {
	case json.Number:
		if r, ok := new(big.Rat).SetString(v.String()); ok {
			return number(r.RatString())
		}
	case map[string]any:
		for name := range v {
			v[name] = exact(v[name])
		}
	case []any:
		for i := range v {
			v[i] = exact(v[i])
		}
	}
	return value
}

// object parses the JSON object of a step, which is valid.
func object(text string) map[string]any {
	value, err := parse(text)
	fields, ok := value.(map[string]any)
	if err != nil || !ok {
		return nil
	}
	return fields
}

// laidOver returns the fields of both. A field of the second wins.
func laidOver(below, above map[string]any) map[string]any {
	all := maps.Clone(below)
	if all == nil {
		all = map[string]any{}
	}
	maps.Copy(all, above)
	return all
}

func isObject(value any) bool {
	_, ok := value.(map[string]any)
	return ok
}
