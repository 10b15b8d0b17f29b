package model

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// A text that has no input cannot be written, and one without a limit may fill a page.
func TestSpaceTexts_each_have_an_input_with_a_limit(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 1_000_000)
	for field := range reflect.TypeFor[SpaceTexts]().Fields() {
		var in SpaceTextInput
		input := reflect.ValueOf(&in).Elem().FieldByName(field.Name)
		if !input.IsValid() {
			t.Errorf("%s: got no field of SpaceTextInput with its name", field.Name)
			continue
		}
		input.Set(reflect.ValueOf(&long))
		name := jsonName(field)
		if got := slices.Collect(maps.Keys(in.Texts())); !slices.Equal(got, []string{name}) {
			t.Errorf("%s: got the columns %q, want %s", field.Name, got, name)
		}
		if err := in.validate(nil); CodeOf(err) != CodeInvalid || !strings.HasPrefix(err.Error(), name+" must have at most") {
			t.Errorf("%s of a million characters: got %v, want its limit", name, err)
		}
		space := NewSpace("1", CreateSpace{SpaceTextInput: in}, nil)
		if got, want := space.SpaceTexts.Bytes(), len(long); got < want {
			t.Errorf("%s: got %d bytes, want at least %d", field.Name, got, want)
		}
	}
	if got, want := reflect.TypeFor[SpaceTextInput]().NumField(), reflect.TypeFor[SpaceTexts]().NumField(); got != want {
		t.Errorf("inputs: got %d, want %d", got, want)
	}
}
