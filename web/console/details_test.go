package console_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"portico/db"
)

var (
	// detailSentence matches a sentence and the key of its message, in detail.ts.
	detailSentence = regexp.MustCompile(`(?m)^  (?:'((?:[^'\\]|\\.)*)'|"([^"]*)"): 'detail\.\w+',$`)
	// detailPattern matches the pattern of a sentence with values.
	detailPattern = regexp.MustCompile(`(?m)^  \[/\^(.*?)\$/s?, `)
	// patternValue matches a value in a pattern. The s after the value of a duration is part of it.
	patternValue = regexp.MustCompile(`\((?:[^()\\]|\\.)*\)(?:s$)?`)
)

// The console translates these texts by their English form, so a text that changes on the server
// would turn English in the other languages.
func TestDetails_are_texts_of_the_server(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("src/detail.ts")
	check(t, err)
	texts := serverTexts(t)
	sentences := detailSentence.FindAllStringSubmatch(string(content), -1)
	patterns := detailPattern.FindAllStringSubmatch(string(content), -1)
	if len(sentences) < 5 || len(patterns) < 4 {
		t.Fatalf("detail.ts: got %d sentences and %d patterns, want all", len(sentences), len(patterns))
	}
	for _, sentence := range sentences {
		if english := sentence[1] + sentence[2]; !texts[english] {
			t.Errorf("the server has no text %q", english)
		}
	}
	for _, pattern := range patterns {
		english := strings.ReplaceAll(patternValue.ReplaceAllString(pattern[1], "*"), `\`, "")
		if !texts[english] {
			t.Errorf("the server has no text like %q", english)
		}
	}
}

// A kind of work without words would be shown by its name in the database.
func TestQueues_have_words_for_each_kind(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("src/detail.ts")
	check(t, err)
	for _, kind := range db.Kinds() {
		if !strings.Contains(string(content), "'"+kind+"': 'queue.") {
			t.Errorf("detail.ts has no words for the kind %s", kind)
		}
	}
}
