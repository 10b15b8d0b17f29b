package console_test

import (
	"go/ast"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"portico/db"
)

var (
	// detailSentence matches a sentence and the key of its message, in detail.ts.
	detailSentence = regexp.MustCompile(`(?m)^  (?:'((?:[^'\\]|\\.)*)'|"([^"]*)"): 'detail\.\w+',$`)
	// detailPattern matches the pattern of a sentence with values, of a job's step or of a job's end.
	detailPattern = regexp.MustCompile(`(?m)^  \[/\^(.*?)(\$?)/s?, `)
	// jobPattern matches the pattern of a job's step.
	jobPattern = regexp.MustCompile(`(?m)^  \[/(.*?)/, 'job\.\w+'\],$`)
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
	if len(sentences) < 5 || len(patterns) < 13 {
		t.Fatalf("detail.ts: got %d sentences and %d patterns, want all", len(sentences), len(patterns))
	}
	for _, sentence := range sentences {
		if english := sentence[1] + sentence[2]; !texts[english] {
			t.Errorf("the server has no text %q", english)
		}
	}
	for _, pattern := range patterns {
		english := strings.ReplaceAll(patternValue.ReplaceAllString(pattern[1], "*"), `\`, "")
		if step, ok := strings.CutPrefix(english, "Converting: "); ok && step != "" {
			english = strings.ToUpper(step[:1]) + step[1:] // the worker puts "Converting: " before it
		}
		if whole := pattern[2] != ""; whole && !texts[english] || !whole && !hasPrefix(texts, english) {
			t.Errorf("the server has no text like %q", english)
		}
	}
}

// A step of a job that matches no pattern would be English in the other languages.
func TestJobs_have_words_for_each_step(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("src/detail.ts")
	check(t, err)
	var known []*regexp.Regexp
	for _, pattern := range jobPattern.FindAllStringSubmatch(string(content), -1) {
		known = append(known, regexp.MustCompile(pattern[1]))
	}
	steps := stepTexts(t)
	if len(steps) < 8 {
		t.Fatalf("steps: got %q, want all of the worker", steps)
	}
	for _, step := range steps {
		if !slices.ContainsFunc(known, func(pattern *regexp.Regexp) bool { return pattern.MatchString(step) }) {
			t.Errorf("detail.ts has no words for the step %q", step)
		}
	}
}

// stepTexts returns the shapes of what a worker says that a job does: the texts of functions without
// parameters, which make them, and the titles of reportSteps.
func stepTexts(t *testing.T) (texts []string) {
	t.Helper()
	for _, file := range parseServer(t, "../../worker") {
		ast.Inspect(file, func(n ast.Node) bool {
			switch e := n.(type) {
			case *ast.CallExpr:
				if nameOf(e.Fun) == "reportSteps" {
					texts = append(texts, textOf(e.Args[0]))
				}
			case *ast.FuncLit:
				results := e.Type.Results
				if e.Type.Params.NumFields() > 0 || results.NumFields() != 1 || nameOf(results.List[0].Type) != "string" {
					return true
				}
				if last, ok := e.Body.List[len(e.Body.List)-1].(*ast.ReturnStmt); ok {
					if text := textOf(last.Results[0]); !strings.HasPrefix(text, "*") { // a title of reportSteps
						texts = append(texts, text)
					}
				}
			}
			return true
		})
	}
	return texts
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

func hasPrefix(texts map[string]bool, start string) bool {
	for text := range texts {
		if strings.HasPrefix(text, start) {
			return true
		}
	}
	return false
}
