package model

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"
)

func TestFields_are_those_of_encoding_json(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{}`, ` { } `, "{\n\t\"a\" : 1 ,\r\n \"b\":[1, {\"c\": \"]}\"}] }", `{"a":"\"}","b":"\\"}`, `{"\u0061":null,"a":true}`,
		`{"a":1,"a":{"a":-1.5e+7}}`, `{"":"","é":"\ud83d\ude00"}`, `{"a":{"b":{}},"c":[[],[[]]],"d":false}`, `{"a":1e5}`,
	} {
		checkFields(t, []byte(text))
	}
}

// Objects are validated when they are made, so other texts only must not panic.
func TestFields_of_a_broken_object_do_not_panic(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "[1]", "{", `{"`, `{"a`, `{"a"`, `{"a":`, `{"a":"`, `{"a":"\`, `{"a":1`, `{"a":[`, `{"a":]}`, `{"a"}`, `{"a":1,`, `{,}`, `{"a":}`} {
		_ = Object(text).Fields()
	}
}

func FuzzFields(f *testing.F) {
	f.Add([]byte(`{"a": [1, "]", {"b": "\\"}], "\u0061": null}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if object, err := ParseObject(text); err == nil {
			checkFields(t, object)
		}
		_ = Object(text).Fields()
	})
}

// checkFields compares the fields of an object with those that encoding/json reads.
func checkFields(t *testing.T, text []byte) {
	t.Helper()
	var want map[string]json.RawMessage
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	got := Object(text).Fields()
	if !maps.EqualFunc(got, want, slices.Equal) {
		t.Errorf("%q: got %q, want %q", text, got, want)
	}
}
