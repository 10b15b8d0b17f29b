package model

import "testing"

func TestHandle_refuses_what_looks_like_another_name(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"ada": "ada", "Ada-Lovelace": "ada-lovelace", "a1b": "a1b",
		"ab": "", "": "", "abcdefghijklmnopqrstuvwxyzabcde": "", "12345678": "", "-ada": "", "ada-": "", "a--b": "", "a_b": "", "a.b": "", "a b": "",
		"аda":      "", // the first letter is Cyrillic
		"\u212aim": "", // the sign for kelvin, whose lower case is k
		"ада":      "", "ada\n": "", "ada\u200b": "", "ａda": "", "@ada": "", "ada/x": "", "..": "",
		"admin": "", "Admin": "", "no-reply": "", "p-o-r-t-i-c-o": "",
	} {
		got, err := Handle(text)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: got %q, %v, want %q", text, got, err, want)
		}
		if err != nil && AsError(err).Field != "handle" {
			t.Errorf("%q: got %v, want the field", text, err)
		}
	}
	if _, err := Slug("embed"); AsError(err).Field != "slug" {
		t.Errorf("a reserved name of a space: got %v, want a refusal", err)
	}
	if got, err := Slug("2024"); got != "2024" || err != nil {
		t.Errorf("a number as the name of a space: got %q, %v", got, err)
	}
}

func TestParseNamedPath(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]Named{
		"/@ada": {Handle: "ada"}, "/@Ada/Hall": {"ada", "hall"}, "/@admin": {Handle: "admin"},
		"/@": {}, "/@/hall": {}, "/@ada/": {}, "/@ada/a/b": {}, "/ada": {}, "@ada": {}, "/@ada/..": {}, "/@ada//evil.example": {}, "/@\u212aim": {},
	} {
		got, ok := ParseNamedPath(path)
		if got != want || ok != (want != Named{}) {
			t.Errorf("%s: got %v, %v, want %v", path, got, ok, want)
		}
	}
}
