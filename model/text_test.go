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

// Names and titles are shown in one line beside the texts of others, at every door. The names of
// editors and visitors are cleaned instead (visibleName).
func TestNames_have_no_line_breaks_and_no_control_characters(t *testing.T) {
	t.Parallel()
	title := func(name string) error { return CreateSpace{SpaceTextInput: SpaceTextInput{Title: &name}}.Validate() }
	doors := map[string]func(name string) error{
		"title of a new space": title,
		"title of a space":     func(name string) error { return UpdateSpace{SpaceTextInput: SpaceTextInput{Title: &name}}.Validate() },
		"account":              func(name string) error { _, err := AccountName(name); return err },
		"new account": func(name string) error {
			in := CreateUser{Email: "ada@example.com", Name: name}
			return in.Validate()
		},
		"address": func(name string) error { _, err := NormaliseEmail("a" + name + "@example.com"); return err },
		"passkey": func(name string) error { _, err := PasskeyName(name); return err },
		"version": func(name string) error { return NameVersion{Name: name}.Validate() },
		"file": func(name string) error {
			return CreateUpload{FileName: name + ".ply", FileSize: 1, ContentType: "a/b"}.CheckFileName([]string{"ply"})
		},
		"type": func(name string) error { return CreateEntity{Type: &name}.Validate() },
	}
	for door, validate := range doors {
		for _, name := range []string{"a\nb", "a\r\nb", "a\tb", "bell\a", "esc\x1b[31m", "next\u0085line", "a\u2028b", "\u202egnp.exe", "\u2066a", "a\x7f"} {
			if CodeOf(validate(name)) != CodeInvalid {
				t.Errorf("%s %q: got accepted, want it refused", door, name)
			}
		}
		names := []string{"Küche", "👩\u200d🚀", "می\u200cخواهم", "שלום\u200f!"}
		if door == "address" {
			names = []string{"küche"}
		}
		for _, name := range names {
			if err := validate(name); err != nil && door != "type" {
				t.Errorf("%s %q: got %v, want it accepted", door, name, err)
			}
		}
	}
}

// A file that was stored with such a name is still a title without them.
func TestTitle_of_a_file_has_no_control_characters(t *testing.T) {
	t.Parallel()
	file := &File{Name: "my\n\u202escan\a.ply"}
	if got, want := file.Title(), "myscan"; got != want {
		t.Errorf("title: got %q, want %q", got, want)
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
