package model

import (
	"bytes"
	"encoding/json"
	"reflect"
)

var objectType = reflect.TypeFor[map[string]any]()

// encode is json.Marshal, but it does not escape <, > and &, so that client JSON keeps its bytes.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// jsonKind names the kind of a JSON value, other than an object or null, from its first byte.
func jsonKind(c byte) string {
	switch c {
	case '"':
		return "string"
	case '[':
		return "array"
	case 't', 'f':
		return "bool"
	default:
		return "number"
	}
}

// rawKind names the kind of a raw JSON value: "string", "number", "bool", "array", "object" or
// "null". A missing value counts as null.
func rawKind(raw json.RawMessage) string {
	switch {
	case len(raw) == 0 || raw[0] == 'n':
		return "null"
	case raw[0] == '{':
		return "object"
	default:
		return jsonKind(raw[0])
	}
}
