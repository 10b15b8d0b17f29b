package model

import (
	"fmt"
	"reflect"
	"strings"
)

// SpaceTexts are the texts that the owner of a space writes. A field here is a column of the space
// with the name of its JSON field, and a field of the space over REST and MCP, in exports and in the
// history; its bytes count as storage.
type SpaceTexts struct {
	Title       string `json:"title" jsonschema:"What the space is called."`
	Description string `json:"description" jsonschema:"What the space is about; may be empty."`
}

// SpaceTextInput has a field for each of SpaceTexts, in the inputs of all interfaces. Nil keeps the
// text. The tag line or lines is the maximum number of characters, of a text in one line or in
// several.
type SpaceTextInput struct {
	Title       *string `json:"title,omitempty" line:"500" jsonschema:"The title; without one, the space is named after its file."`
	Description *string `json:"description,omitempty" lines:"20000" jsonschema:"A description for visitors."`
}

// Texts are the texts of an input that are set, by the names of their columns.
func (in SpaceTextInput) Texts() map[string]string {
	texts := map[string]string{}
	for field, text := range reflect.ValueOf(in).Fields() {
		if text, _ := text.Interface().(*string); text != nil {
			texts[jsonName(field)] = *text
		}
	}
	return texts
}

// setOn sets the texts of the input.
func (in SpaceTextInput) setOn(texts *SpaceTexts) {
	for field, text := range reflect.ValueOf(in).Fields() {
		if !text.IsNil() {
			reflect.ValueOf(texts).Elem().FieldByName(field.Name).Set(text.Elem())
		}
	}
}

// validate refuses texts that are too long or cannot be stored, and an unknown privacy.
func (in SpaceTextInput) validate(privacy *Privacy) error {
	for field, text := range reflect.ValueOf(in).Fields() {
		if text.IsNil() {
			continue
		}
		check, limit := checkName, field.Tag.Get("line")
		if limit == "" {
			check, limit = checkText, field.Tag.Get("lines")
		}
		var maximum int
		if _, err := fmt.Sscan(limit, &maximum); err != nil {
			return fmt.Errorf("%s has no limit: %w", field.Name, err) // a programmer's mistake
		}
		if err := check(jsonName(field), text.Elem().String(), maximum); err != nil {
			return err
		}
	}
	if privacy != nil {
		return privacy.Validate()
	}
	return nil
}

// Bytes is the size of the texts.
func (t SpaceTexts) Bytes() (bytes int) {
	for _, text := range reflect.ValueOf(t).Fields() {
		bytes += text.Len()
	}
	return bytes
}

// SpaceTextColumns returns the columns of the texts.
func SpaceTextColumns() (columns []string) {
	for field := range reflect.TypeFor[SpaceTexts]().Fields() {
		columns = append(columns, jsonName(field))
	}
	return columns
}

// jsonName returns the name of a field in JSON.
func jsonName(field reflect.StructField) string {
	name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	return name
}
