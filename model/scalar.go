package model

import (
	"bytes"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// TimeLayout is the one timestamp format: ISO 8601 in UTC with milliseconds
// (API section 1, convention 2).
const TimeLayout = "2006-01-02T15:04:05.000Z"

// Time is a moment that clients see in TimeLayout. Its zero value is SQL NULL and JSON null.
type Time struct{ time.Time }

// Now returns the current moment in UTC, truncated to microseconds: the precision of
// Postgres, so that a stored row equals the row that is read.
func Now() Time { return Time{time.Now().UTC().Truncate(time.Microsecond)} }

// String returns the moment in TimeLayout.
func (t Time) String() string { return t.UTC().Format(TimeLayout) }

// MarshalJSON writes the moment in TimeLayout, or null.
func (t Time) MarshalJSON() ([]byte, error) {
	if t.IsZero() {
		return []byte("null"), nil
	}
	return t.appendJSON(nil), nil
}

// appendJSON appends the moment in TimeLayout, which needs no escape, as a JSON string.
func (t Time) appendJSON(b []byte) []byte {
	b = t.UTC().AppendFormat(append(b, '"'), TimeLayout)
	return append(b, '"')
}

// Scan reads a timestamptz column.
func (t *Time) Scan(src any) error {
	switch v := src.(type) {
	case nil:
		*t = Time{}
	case time.Time:
		*t = Time{v.UTC()}
	default:
		return fmt.Errorf("scan time: unexpected %T", src)
	}
	return nil
}

// Value writes a timestamptz column.
func (t Time) Value() (driver.Value, error) {
	if t.IsZero() {
		return nil, nil
	}
	return t.UTC(), nil
}

// MarshalGQL writes scalar DateTime. A list has hundreds of times, so they are written into the
// buffer of the response without a copy.
func (t Time) MarshalGQL(w io.Writer) {
	if buffer, ok := w.(*bytes.Buffer); ok && !t.IsZero() {
		buffer.Write(t.appendJSON(buffer.AvailableBuffer()))
		return
	}
	b, _ := t.MarshalJSON() // never fails
	_, _ = w.Write(b)       // a response buffer, which does not fail
}

// UnmarshalGQL reads scalar DateTime. The message of its error is for clients.
func (t *Time) UnmarshalGQL(v any) error {
	s, ok := v.(string)
	if !ok {
		return Invalidf("must be a string such as %q", TimeLayout)
	}
	at, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return Invalidf("must be a string such as %q", TimeLayout)
	}
	*t = Time{at.UTC()}
	return nil
}

// Object is a JSON object of a client. Its numbers keep their exact text: REST and MCP keep the
// bytes, and GraphQL decodes a variable with json.Number. The zero value means no object.
type Object []byte

// ParseObject returns b as an Object; any other JSON value is an error.
func ParseObject(b []byte) (Object, error) {
	b = bytes.TrimSpace(b)
	if len(b) == 0 || b[0] != '{' || !json.Valid(b) {
		return nil, errors.New("must be a JSON object")
	}
	return bytes.Clone(b), nil
}

// NewObject encodes a struct or a map of ours as an Object. It panics if that cannot be encoded.
func NewObject(fields any) Object {
	b, err := encode(fields)
	if err != nil {
		panic("model: NewObject of " + err.Error()) // a programmer's mistake: fields are ours
	}
	return b
}

// OrEmpty returns the object, or {} for the zero value.
func (o Object) OrEmpty() Object {
	if len(o) == 0 {
		return Object("{}")
	}
	return o
}

// mayContain returns false only if the object surely has no field of this name: its text contains
// neither the name nor an escape that could encode a letter of the name. It is faster than Fields.
func (o Object) mayContain(name string) bool {
	return bytes.Contains(o, []byte(name)) || bytes.Contains(o, []byte(`\u`))
}

// With returns the object with the fields of other, which replace fields of the same name.
func (o Object) With(other Object) Object {
	fields := o.Fields()
	for name, value := range other.Fields() {
		fields[name] = value
	}
	return NewObject(fields)
}

// MarshalJSON returns the bytes as they are.
func (o Object) MarshalJSON() ([]byte, error) {
	if o == nil {
		return []byte("null"), nil
	}
	return o, nil
}

// UnmarshalJSON keeps a copy of the bytes; null becomes the zero value.
func (o *Object) UnmarshalJSON(b []byte) error {
	if bytes.Equal(b, []byte("null")) {
		*o = nil
		return nil
	}
	if b[0] != '{' {
		return &json.UnmarshalTypeError{Value: jsonKind(b[0]), Type: objectType}
	}
	*o = bytes.Clone(b)
	return nil
}

// Scan reads a jsonb column.
func (o *Object) Scan(src any) error {
	switch v := src.(type) {
	case nil:
		*o = nil
	case []byte:
		*o = bytes.Clone(v)
	case string:
		*o = Object(v)
	default:
		return fmt.Errorf("scan object: unexpected %T", src)
	}
	return nil
}

// Value writes a jsonb column.
func (o Object) Value() (driver.Value, error) {
	if o == nil {
		return nil, nil
	}
	return string(o), nil
}

// MarshalGQL writes scalar JSON.
func (o Object) MarshalGQL(w io.Writer) {
	b, _ := o.MarshalJSON() // never fails
	_, _ = w.Write(b)       // a response buffer, which does not fail
}

// UnmarshalGQL reads scalar JSON from a variable, whose numbers arrive as
// json.Number and so keep their text, or from a literal.
func (o *Object) UnmarshalGQL(v any) error {
	if _, ok := v.(map[string]any); !ok {
		return Invalidf("must be an object")
	}
	b, err := encode(v)
	*o = b
	return err
}
