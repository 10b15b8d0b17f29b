package model

import "testing"

func TestCheckSurrogates(t *testing.T) {
	t.Parallel()
	refused := func(path string) string { return path + " must not contain half of a surrogate pair" }
	for _, test := range []struct{ name, in, want string }{
		{"takes_text", `{"a":"Küche 🚪"}`, ""},
		{"takes_a_pair", `{"a":"\ud83d\udeaa\uD83D\uDEAA"}`, ""},
		{"takes_other_escapes", `{"a":"\u0000\u00fc\ufffd\n\"\ud7ff\ue000"}`, ""},
		{"takes_an_escaped_backslash", `{"a":"\\ud800"}`, ""},
		{"takes_any_number", `{"a":1e999,"b":"\u0041"}`, ""},
		{"refuses_the_first_half", `{"a":"x\ud800"}`, refused("a")},
		{"refuses_the_first_half_in_capitals", `{"a":"\uDBFF."}`, refused("a")},
		{"refuses_the_first_half_before_another_escape", `{"a":"\ud800\n"}`, refused("a")},
		{"refuses_the_second_half", `{"a":"\udc00"}`, refused("a")},
		{"refuses_halves_in_the_wrong_order", `{"a":"\udeaa\ud83d"}`, refused("a")},
		{"refuses_two_first_halves", `{"a":"\ud83d\ud83d\udeaa"}`, refused("a")},
		{"refuses_it_after_a_backslash", `{"a":"\\\ud800"}`, refused("a")},
		{"names_the_path", `{"x":[1,{"y":"\u0041"}],"a":{"b":[[],{"c":"\ud800"}]},"z":1}`, refused("a.b.1.c")},
		{"names_the_field_after_a_nested_one", `{"a":{"b":{"c":1}},"d":"\ud800"}`, refused("d")},
		{"names_the_element", `{"a":["x",{},"\ud800"]}`, refused("a.2")},
		{"names_the_object_of_a_name", `{"a":{"b":1,"\ud800":2}}`, refused("a")},
		{"names_the_whole", `{"\ud800":2}`, refused("Request body")},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			checkInvalid(t, CheckSurrogates("Request body", []byte(test.in)), test.want)
		})
	}
}

func TestCheckVariables_names_the_field_with_half_a_surrogate_pair(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{"in":{"title":"\ud800"}}`:        "title",
		`{"in":{"data":{"a":["\ud800"]}}}`: "data.a.0",
		`{"title":"\ud800"}`:               "title",
		`{"ids":["x","\ud800"]}`:           "ids.1",
		`{"edits":[{"name":"\ud800"}]}`:    "edits.0.name",
		`{"\ud800":1}`:                     "variables",
	} {
		checkInvalid(t, CheckVariables([]byte(in)), want+" must not contain half of a surrogate pair")
	}
}

func TestCheckObject_refuses_NUL(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{"a":[{"b":"x\u0000"}]}`: "entity_data.a.0.b",
		`{"\u0000":1}`:            "entity_data",
	} {
		checkInvalid(t, checkObject("entity_data", Object(in)), want+" must not contain a NUL character")
	}
	check(t, checkObject("entity_data", Object(`{"a":"\\u0000"}`)))
}

func TestRemoveInvisible_removes_control_and_format_characters(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"Uploader": "Uploader", "\tÜnïcode 中": "Ünïcode 中", "a\u202eb": "ab", "\u200bBank\u2066": "Bank", "a\tb\x00": "ab", "\u00ad": "",
	} {
		if got := RemoveInvisible(name); got != want {
			t.Errorf("RemoveInvisible(%q): got %q, want %q", name, got, want)
		}
	}
}
