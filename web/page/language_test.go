package page_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"portico/model"
)

func messageFiles(t *testing.T) map[string]map[string]string {
	t.Helper()
	names, err := filepath.Glob("messages/*.json")
	check(t, err)
	languages := map[string]map[string]string{}
	for _, name := range names {
		content, err := os.ReadFile(name)
		check(t, err)
		var texts map[string]string
		check(t, json.Unmarshal(content, &texts))
		languages[name] = texts
	}
	return languages
}

func TestMessages_are_the_same_in_every_language(t *testing.T) {
	t.Parallel()
	languages := messageFiles(t)
	english := languages["messages/en.json"]
	if len(languages) != len(model.Languages()) || len(english) < 50 {
		t.Fatalf("languages: got %d with %d messages, want %d with at least 50", len(languages), len(english), len(model.Languages()))
	}
	forms := map[string][]string{"fr": {"one", "many", "other"}, "es": {"one", "many", "other"}, "ja": {"other"}, "zh": {"other"}}
	placeholder := regexp.MustCompile(`\{[a-z]+\}`)
	for name, texts := range languages {
		wants := map[string]string{} // the English text for each key of the language
		for key, text := range english {
			stem, isCounted := strings.CutSuffix(key, ".other")
			switch tag := strings.TrimSuffix(filepath.Base(name), ".json"); {
			case isCounted && forms[tag] != nil:
				for _, form := range forms[tag] {
					wants[stem+"."+form] = text
				}
			case forms[tag] == nil || !strings.HasSuffix(key, ".one"):
				wants[key] = text
			}
		}
		if got, want := slices.Sorted(maps.Keys(texts)), slices.Sorted(maps.Keys(wants)); !slices.Equal(got, want) {
			t.Errorf("keys of %s: got %q, want %q", name, got, want)
		}
		for key, text := range texts {
			got, want := placeholder.FindAllString(text, -1), placeholder.FindAllString(wants[key], -1)
			slices.Sort(got)
			slices.Sort(want)
			if text == "" || !slices.Equal(got, want) {
				t.Errorf("%s of %s: got %q with %v, want a text with %v", key, name, text, got, want)
			}
		}
	}
}

// Every message that a template or the code names exists, and every message is used.
func TestMessages_are_the_ones_that_pages_use(t *testing.T) {
	t.Parallel()
	var sources []byte
	// The kinds of files are in the table of extensions, and the states of downloads in their own.
	for _, pattern := range []string{"pages/*.html", "*.go", "../../model/file.go", "../../model/derived.go"} {
		names, err := filepath.Glob(pattern)
		check(t, err)
		for _, name := range names {
			content, err := os.ReadFile(name)
			check(t, err)
			sources = append(sources, content...)
		}
	}
	english := messageFiles(t)["messages/en.json"]
	for _, found := range regexp.MustCompile(`\{\{(text|count) "([a-z.]+)"`).FindAllSubmatch(sources, -1) {
		key := string(found[2])
		if string(found[1]) == "count" {
			key += ".one"
		}
		if _, ok := english[key]; !ok {
			t.Errorf("message %s: got none", key)
		}
	}
	for key := range english {
		// The ends of plurals, kinds and failures are put together when a page is made.
		name := regexp.MustCompile(`\.(one|other|title|text)$`).ReplaceAllString(regexp.MustCompile(`^(kind|failure|made)\.`).ReplaceAllString(key, ""), "")
		if !regexp.MustCompile(`"[a-z.]*` + regexp.QuoteMeta(name) + `"`).Match(sources) {
			t.Errorf("message %s: nothing uses it", key)
		}
	}
}

func TestLanguage_is_chosen(t *testing.T) {
	t.Parallel()
	p := open(t)
	id := p.space(p.account("Ada"), "Space", "", model.Public)
	for _, row := range []struct{ path, accepts, want string }{
		{"/", "", "en"}, {"/", "de", "de"}, {"/", "de-AT,en;q=0.5", "de"}, {"/", "it, de;q=0.3, en;q=0.2", "de"}, {"/", "DE;q=0, en;q=0.1", "en"},
		{"/", "it", "en"}, {"/", "fr-CH, de;q=0.9", "fr"}, {"/", "es-419", "es"}, {"/", "ja", "ja"}, {"/", "zh-Hans-CN", "zh"}, {"/", "*", "en"}, {"/", ";q=,,de;q=x,\xff", "en"}, {"/?lang=de", "en", "de"}, {"/?lang=en", "de", "en"}, {"/?lang=it", "de", "de"}, {"/?lang=ja", "de", "ja"},
		{"/" + id, "de", "de"}, {"/embed/" + id + "?lang=de", "", "de"}, {"/nothing", "de", "de"},
	} {
		got := p.stranger().get(row.path, "Accept-Language", row.accepts)
		wantText(t, got, `<html lang="`+row.want+`">`)
		if language := got.header.Get("Content-Language"); language != row.want {
			t.Errorf("Content-Language of %s for %q: got %q, want %q", row.path, row.accepts, language, row.want)
		}
	}
	german := p.stranger().get("/?lang=de")
	wantText(t, german, "Räume zum Betreten", `href="/`+id+`?lang=de"`, `<input type="hidden" name="lang" value="de">`, `<a class="brand" href="/?lang=de">`)
}
