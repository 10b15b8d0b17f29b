package page

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"portico/web/style"
)

var update = flag.Bool("update", false, "rewrite the table of docs/privacy.md")

// The document and the page say the same, in every language: both are made of the facts.
func TestPrivacy_facts_are_in_the_document_and_in_all_languages(t *testing.T) {
	t.Parallel()
	languages, err := readLanguages(style.Brand{})
	if err != nil {
		t.Fatal(err)
	}
	defaults := Retention{Jobs: 30 * day, Audit: 90 * day, History: 90 * day, WebhookLog: 7 * day}
	for _, l := range languages {
		shown, err := l.shownFacts(defaults.facts())
		if err != nil || len(shown) != len(defaults.facts()) {
			t.Errorf("%s: got %d facts and %v", l.tag, len(shown), err)
		}
		for _, d := range []time.Duration{0, time.Minute, 90 * time.Minute, time.Hour, 36 * time.Hour, day, 400 * day} {
			if text, err := l.period(d); err != nil || strings.Contains(text, "{") {
				t.Errorf("%s: %v: got %q and %v", l.tag, d, text, err)
			}
		}
	}
	shown, err := languages[0].shownFacts(defaults.facts())
	if err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	table.WriteString("| what is stored | how long |\n| --- | --- |\n")
	for _, f := range shown {
		fmt.Fprintf(&table, "| %s | %s |\n", f.What, f.Keep)
	}
	const path = "../../docs/privacy.md"
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(content), "| what is stored")
	_, after, _ := strings.Cut(rest, "\n\n")
	want := before + table.String() + "\n" + after
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(content) != want {
		t.Errorf("docs/privacy.md differs from the facts: run this test with -update")
	}
}
