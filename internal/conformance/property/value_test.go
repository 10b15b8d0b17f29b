package property

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"strings"
)

// number is the exact value of a JSON number: 1E2 and 100 are the same one.
type number string

// parse reads JSON, its numbers exactly.
func parse(text string) (any, error) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, fmt.Errorf("read %s: %w", text, err)
	}
	return exact(value), nil
}

// exact puts numbers into a form that equal ones share.
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

// object is parse for an object of a step, which is one.
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
