package model

import (
	"bytes"
	"encoding/json"
	"reflect"
)

var objectType = reflect.TypeFor[map[string]any]()

// encode is json.Marshal without the escaping of HTML.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// jsonKind names the kind of the JSON value that starts with c.
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

// rawKind names the kind of a whole raw JSON value: "string", "number",
// "bool", "array", "object" or "null".
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
