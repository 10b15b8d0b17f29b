package rest

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"

	"portico/graph/view"
	"portico/model"
)

// decode reads the body, a JSON object, into the struct that v points at. An
// empty body is an object without fields: the check for required ones names
// what is missing. Unknown fields are ignored and null is no value.
//
// The Content-Type is not looked at: clients forget it, and what is not JSON
// does not parse.
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
	// fetch without a body is how clients create an empty entity or space.
	if len(body) == 0 {
		return model.Object("{}"), nil
	}
	return body, checkObject(body)
}

// checkObject refuses what is not one JSON object and nothing else, and text that
// is none.
func checkObject(body []byte) error {
	if body[0] == '{' && json.Valid(body) {
		return model.CheckSurrogates("Request body", body)
	}
	var value json.RawMessage // to learn where it is wrong
	err := json.Unmarshal(body, &value)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return model.Invalidf("Request body is not valid JSON at byte %d", syntax.Offset)
	}
	if err != nil || body[0] != '{' {
		return model.Invalidf("Request body must be a JSON object")
	}
	return nil
}

// unmarshal reads the object into each of the structs that parts point at.
// parent is the name of the field that the object is the value of, or empty.
func unmarshal(object model.Object, parent string, parts ...any) error {
	for _, part := range parts {
		if err := model.Decode(object, parent, part); err != nil {
			return err
		}
	}
	return nil
}

// required refuses a field that was left out or is null. Fields that the
// resolver asks for under the same name need no such check.
func required[T any](name string, value *T) error {
	if value == nil {
		return model.Invalidf("%s is required", name)
	}
	return nil
}
