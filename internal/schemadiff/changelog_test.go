package main

import (
	"os"
	"strings"
	"testing"
)

const someLog = `# Changes

What they mean.

## Unreleased

- safe: a
  Why, in
  two lines.
- safe: b

## 1.0.0

- breaking: x
`

func log(t *testing.T, text string) *changelog {
	t.Helper()
	l, err := parseChangelog(text)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func is(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got\n%s\nwant\n%s", what, got, want)
	}
}

func TestChangelog_lists_and_releases_the_changes(t *testing.T) {
	t.Parallel()
	a, b, c := change{level: safe, text: "a"}, change{level: safe, text: "b"}, change{level: dangerous, text: "c"}
	l := log(t, someLog)
	is(t, "as it was read", l.String(), someLog)
	if err := l.check([]change{b, a}); err != nil {
		t.Errorf("the listed changes: got %v, want none", err)
	}
	err := l.check([]change{a, c})
	if err == nil || !strings.Contains(err.Error(), `does not list the change "- dangerous: c"`) || !strings.Contains(err.Error(), `lists "- safe: b", which has not changed`) {
		t.Errorf("other changes: got %v, want both refusals", err)
	}
	l.list([]change{c, a})
	is(t, "listed anew", l.String(), strings.Replace(someLog, "- safe: a\n  Why, in\n  two lines.\n- safe: b\n", "- dangerous: c\n- safe: a\n  Why, in\n  two lines.\n", 1))
	l.release("1.1.0")
	is(t, "released", l.String(), strings.Replace(someLog, "## Unreleased\n\n- safe: a\n  Why, in\n  two lines.\n- safe: b\n",
		"## Unreleased\n\n## 1.1.0\n\n- dangerous: c\n- safe: a\n  Why, in\n  two lines.\n", 1))
	l.release("")
	is(t, "released again", log(t, l.String()).String(), l.String())
	if _, err := parseChangelog("# Changes\n"); err == nil {
		t.Error("a file without the heading: got no error, want one")
	}
}

// TestChangelog_of_the_repository holds that the tool reads the files that it checks.
func TestChangelog_of_the_repository(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../" + changelogFile)
	if err != nil {
		t.Fatal(err)
	}
	is(t, changelogFile, log(t, string(text)).String(), string(text))
	schema, err := load("../../" + schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	if changes := compare(schema, schema); len(changes) != 0 {
		t.Errorf("the schema and itself: got %v, want no changes", changes)
	}
	before, err := load("../../" + baselineFile)
	if err != nil {
		t.Fatal(err)
	}
	if len(before.Types) < 50 {
		t.Errorf("types of the baseline: got %d, want a whole schema", len(before.Types))
	}
}
