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
	// Licence is the code of a Licence. Without one, only the owner may download what is in the space.
	Licence string `json:"licence" jsonschema:"The SPDX identifier of the Creative Commons licence under which visitors may download what is in the space; empty if they may not."`
}

// SpaceTextInput has a field for each of SpaceTexts, in the inputs of all interfaces. Nil keeps the
// text. The tag line or lines is the maximum number of characters, of a text in one line or in
// several. validate has the rules of single fields.
type SpaceTextInput struct {
	Title       *string `json:"title,omitempty" line:"500" jsonschema:"The title; without one, the space is named after its file."`
	Description *string `json:"description,omitempty" lines:"20000" jsonschema:"A description for visitors."`
	Licence     *string `json:"licence,omitempty" line:"20" jsonschema:"Lets visitors download what is in the space: CC0-1.0, CC-BY-4.0, CC-BY-SA-4.0, CC-BY-NC-4.0, CC-BY-NC-SA-4.0, CC-BY-ND-4.0 or CC-BY-NC-ND-4.0. Empty: they may not."`
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

// validate refuses texts that are too long or cannot be stored, an unknown licence, and an unknown
// privacy.
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
	if in.Licence != nil && *in.Licence != "" && LicenceOf(*in.Licence) == nil {
		return InvalidField("licence", "must be CC0-1.0, CC-BY-4.0, CC-BY-SA-4.0, CC-BY-NC-4.0, CC-BY-NC-SA-4.0, CC-BY-ND-4.0 or CC-BY-NC-ND-4.0")
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
