package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
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
