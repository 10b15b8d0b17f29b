package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Decode decodes the fields of a JSON object into the struct that into points to. REST, MCP and
// OAuth decode JSON with it. Unlike encoding/json, it matches names exactly, including case. It
// ignores unknown fields and null. The object must be valid JSON. Errors name the field, with
// parent as its prefix unless parent is empty: "space_data.title must be a string".
//
// Each field of the struct has a json tag. A nested struct, a pointer to one, or a list of either,
// is decoded in the same way, unless the struct implements json.Unmarshaler.
func Decode(object Object, parent string, into any) error {
	if rawKind(json.RawMessage(object)) != "object" {
		return InvalidField(parent, "must be an object")
	}
	return decodeStruct(object.Fields(), parent, reflect.ValueOf(into).Elem())
}

func decodeStruct(fields map[string]json.RawMessage, parent string, v reflect.Value) error {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		if field.Anonymous {
			if err := decodeStruct(fields, parent, v.Field(i)); err != nil {
				return err
			}
			continue
		}
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		raw := fields[name]
		if !field.IsExported() || rawKind(raw) == "null" {
			continue
		}
		if err := decodeField(raw, strings.TrimPrefix(parent+"."+name, "."), v.Field(i)); err != nil {
			return err
		}
	}
	return nil
}

func decodeField(raw json.RawMessage, path string, v reflect.Value) error {
	switch {
	case isPlainStruct(v.Type()):
		return Decode(Object(raw), path, v.Addr().Interface())
	case v.Kind() == reflect.Pointer && isPlainStruct(v.Type().Elem()):
		v.Set(reflect.New(v.Type().Elem()))
		return Decode(Object(raw), path, v.Interface())
	case isListOfObjects(v.Type()):
		return decodeList(raw, path, v)
	}
	if kindOf(v.Type()) == wholeNumber {
		if digits, ok := WholeNumber(string(raw)); ok {
			raw = json.RawMessage(digits) // 3.0 is 3
		}
	}
	var err error
	if decoder, ok := v.Addr().Interface().(json.Unmarshaler); ok {
		err = decoder.UnmarshalJSON(raw) // raw is valid, which json.Unmarshal would check again
	} else {
		err = json.Unmarshal(raw, v.Addr().Interface())
	}
	if _, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return InvalidField(path, fmt.Sprintf("must be %s", kindOf(v.Type())))
	}
	if err != nil {
		return fmt.Errorf("decode %s: %w", path, err)
	}
	return nil
}

// decodeList decodes a list of objects. An element that is null becomes the zero value, which is
// nil for a pointer. Errors name an element by its index: "edits.0.scale must be a number".
func decodeList(raw json.RawMessage, path string, v reflect.Value) error {
	if rawKind(raw) != "array" {
		return InvalidField(path, "must be "+kindOf(v.Type()))
	}
	var elements []json.RawMessage
	if err := json.Unmarshal(raw, &elements); err != nil {
		return fmt.Errorf("decode %s: %w", path, err)
	}
	v.Set(reflect.MakeSlice(v.Type(), len(elements), len(elements)))
	for i, element := range elements {
		if rawKind(element) == "null" {
			continue
		}
		if err := decodeField(element, fmt.Sprintf("%s.%d", path, i), v.Index(i)); err != nil {
			return err
		}
	}
	return nil
}

// isPlainStruct reports whether the type is a struct that does not decode itself.
func isPlainStruct(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && !reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]())
}

// isListOfObjects reports whether the type is a list of plain structs, or of pointers to them.
func isListOfObjects(t reflect.Type) bool {
	if t.Kind() != reflect.Slice {
		return false
	}
	element := t.Elem()
	if element.Kind() == reflect.Pointer {
		element = element.Elem()
	}
	return isPlainStruct(element)
}

const wholeNumber = "a whole number"

// kindOf names the JSON value that a field of the type accepts, for error messages.
func kindOf(t reflect.Type) string {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int64:
		return wholeNumber
	case reflect.Float64:
		return "a number"
	case reflect.Slice:
		switch {
		case t.Elem().Kind() == reflect.String:
			return "a list of strings"
		case t.Elem().Kind() == reflect.Float64:
			return "a list of numbers"
		case isListOfObjects(t):
			return "a list of objects"
		}
	}
	return "an object" // including Object, whose kind is a slice of bytes
}

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

// jsonString is a string in a JSON document: a value, or the name of a field.
type jsonString struct {
	raw    []byte // as it was sent, with quotes and escapes
	text   string
	isName bool
	field  string // the name of the field whose value it is; empty for a name or an element of an array
}

// findString returns the path (see Error.Field) of the first string for which matches returns true:
// the field with this value, or for a name the object that it is in. The path is empty for a string
// outside of fields. The JSON must be valid.
func findString(raw []byte, matches func(jsonString) bool) (path string, found bool) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber() // a number may exceed float64
	var levels []level
	for {
		start := decoder.InputOffset()
		token, err := decoder.Token()
		if err != nil {
			return "", false // the end: the JSON is valid
		}
		delimiter, isDelimiter := token.(json.Delim)
		if delimiter == '}' || delimiter == ']' {
			levels = levels[:len(levels)-1]
			continue
		}
		text, isText := token.(string)
		s := jsonString{raw: raw[start:decoder.InputOffset()], text: text}
		if len(levels) > 0 {
			levels[len(levels)-1].advance(&s)
		}
		if isText && matches(s) {
			return pathOf(levels), true
		}
		if isDelimiter {
			levels = append(levels, level{object: delimiter == '{', index: -1})
		}
	}
}

// level is an object or array around the decoder's position.
type level struct {
	object bool
	name   string // of the current field of an object
	named  bool   // the next token is the value of name
	index  int    // of the current element of an array; -1 before the first
}

// advance moves the level to its next name or value, and sets which of them it is.
func (l *level) advance(s *jsonString) {
	switch {
	case !l.object:
		l.index++
	case l.named:
		s.field, l.named = l.name, false
	default:
		s.isName, l.name, l.named = true, s.text, true
	}
}

// pathOf returns the path of the value at the decoder's position, or of the object that the name
// there is in (see Error.Field).
func pathOf(levels []level) string {
	var names []string
	for _, l := range levels {
		switch {
		case !l.object:
			names = append(names, strconv.Itoa(l.index))
		case l.name != "" && !l.named:
			names = append(names, l.name)
		}
	}
	return strings.Join(names, ".")
}

// Fields returns the object's fields as raw JSON by name. If a name occurs twice, the last field
// counts, as in encoding/json. The values share the memory of the object and must not be changed.
//
// The bytes were validated when the Object was made, so Fields reads each of them once, to find the
// ends of the values: encoding/json would validate and copy all of them again.
func (o Object) Fields() map[string]json.RawMessage {
	fields := map[string]json.RawMessage{}
	rest := skipSpace(o)
	if len(rest) == 0 || rest[0] != '{' {
		return fields
	}
	for rest = skipSpace(rest[1:]); len(rest) > 0 && rest[0] == '"'; rest = skipSpace(rest[1:]) {
		end := stringEnd(rest)
		name := rest[:end]
		rest = skipSpace(bytes.TrimPrefix(skipSpace(rest[end:]), []byte(":")))
		end = valueEnd(rest)
		fields[unquoteName(name)] = json.RawMessage(rest[:end:end])
		if rest = skipSpace(rest[end:]); len(rest) == 0 || rest[0] != ',' {
			break
		}
	}
	return fields
}

// skipSpace returns what follows the white space at the start of text (RFC 8259 section 2).
func skipSpace(text []byte) []byte { return bytes.TrimLeft(text, " \t\r\n") }

// unquoteName returns the name that a JSON string contains.
func unquoteName(quoted []byte) string {
	if bytes.IndexByte(quoted, '\\') < 0 && utf8.Valid(quoted) && len(quoted) >= 2 {
		return string(quoted[1 : len(quoted)-1])
	}
	var name string
	_ = json.Unmarshal(quoted, &name) // it was validated with the object
	return name
}

// stringEnd returns the length of the JSON string at the start of text.
func stringEnd(text []byte) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++ // the escaped character does not end the string
		case '"':
			return i + 1
		}
	}
	return len(text)
}

// valueEnd returns the length of the JSON value at the start of text.
func valueEnd(text []byte) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			i += stringEnd(text[i:]) - 1
			if depth == 0 {
				return min(i+1, len(text))
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
			if depth < 0 {
				return i // the object around a number or a word ends
			}
		case ',', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return i
			}
		}
	}
	return len(text)
}
