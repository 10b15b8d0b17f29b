package rest

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"

	"portico/graph/view"
	"portico/model"
)

// decode reads the body, a JSON object, into the struct that v points at. An empty body is an
// object without fields, so that the error names a required field that is missing. Unknown fields
// are ignored. A field that is null is treated as omitted.
//
// decode ignores the Content-Type: many clients omit it, and other formats do not parse as JSON.
//
// Names match exactly, case included, unlike in encoding/json: model.Decode reads the fields.
func (a *api) decode(w http.ResponseWriter, r *http.Request, v any) error {
	body, err := a.body(w, r)
	if err != nil {
		return err
	}
	return unmarshal(body, "", v)
}

// body returns the body of a request, a JSON object in valid UTF-8.
func (a *api) body(w http.ResponseWriter, r *http.Request) (model.Object, error) {
	body, err := view.ReadBody(w, r, a.maxBody)
	if err != nil {
		return nil, err
	}
	body = bytes.TrimSpace(body)
	// Clients create an empty entity or space with a request without a body.
	if len(body) == 0 {
		return model.Object("{}"), nil
	}
	return body, checkObject(body)
}

// checkObject refuses a body that is not exactly one JSON object, or has half of a surrogate
// pair in a text.
func checkObject(body []byte) error {
	if body[0] == '{' && json.Valid(body) {
		return model.CheckSurrogates("Request body", body)
	}
	var value json.RawMessage // only for the position of the error
	err := json.Unmarshal(body, &value)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return model.Invalidf("Request body is not valid JSON at byte %d", syntax.Offset)
	}
	if err != nil || body[0] != '{' {
		return model.Invalidf("Request body must be a JSON object")
	}
	return nil
}

// unmarshal reads the object into each of the structs that parts point at. parent is the name
// of the field that contains the object, or "".
func unmarshal(object model.Object, parent string, parts ...any) error {
	for _, part := range parts {
		if err := model.Decode(object, parent, part); err != nil {
			return err
		}
	}
	return nil
}

// required refuses a field that is omitted or null. Handlers call it only for fields that the
// resolver does not require by the same name. The text has the form of every other refusal of a
// field: the field first.
func required[T any](name string, value *T) error {
	if value == nil {
		return model.InvalidField(name, "is required")
	}
	return nil
}
