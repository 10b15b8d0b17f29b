package console_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"portico/model"
)

// value matches a value in a translated sentence.
var value = regexp.MustCompile(`\{\d\}`)

// readSentences returns the translations of the server's sentences into each language, by their
// English text.
func readSentences(t *testing.T) map[string]map[string]string {
	t.Helper()
	names, err := filepath.Glob("src/sentences/*.json")
	check(t, err)
	languages := map[string]map[string]string{}
	for _, name := range names {
		content, err := os.ReadFile(name)
		check(t, err)
		var sentences map[string]string
		check(t, json.Unmarshal(content, &sentences))
		languages[name] = sentences
	}
	if want := len(model.Languages()) - 1; len(languages) != want {
		t.Fatalf("languages: got %d, want %d", len(languages), want)
	}
	return languages
}

// A sentence whose English text has changed on the server would no longer be translated.
func TestSentences_are_texts_of_the_server(t *testing.T) {
	t.Parallel()
	texts := serverTexts(t)
	for name, sentences := range readSentences(t) {
		for english, translation := range sentences {
			if !texts[value.ReplaceAllString(english, "*")] {
				t.Errorf("%s: the server has no text %q", name, english)
			}
			for _, wanted := range value.FindAllString(translation, -1) {
				if !regexp.MustCompile(regexp.QuoteMeta(wanted)).MatchString(english) {
					t.Errorf("%s: %q has no value %s", name, english, wanted)
				}
			}
		}
	}
}

// A fault without a translation would be English among sentences of another language.
func TestSentences_have_each_fault_of_a_file(t *testing.T) {
	t.Parallel()
	faults := faultTexts(t)
	if len(faults) < 200 {
		t.Fatalf("faults: got %d, want at least 200, which all formats have", len(faults))
	}
	for name, sentences := range readSentences(t) {
		known := map[string]bool{}
		for english := range sentences {
			known[value.ReplaceAllString(english, "*")] = true
		}
		for fault := range faults {
			if !known[fault] {
				t.Errorf("%s has no translation of %q", name, fault)
			}
		}
	}
}
