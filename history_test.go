package portico_test

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

const (
	maxSubject   = 72 // columns
	minBodyLines = 2  // neither empty nor quoted
	maxBodyLines = 8
	maxBodyLine  = 78 // columns
	checked      = 20 // commits; what is older is not rewritten
)

// subjectForm matches `area: what changes`. Several areas have commas between them.
var subjectForm = regexp.MustCompile(`^[\w./-]+(, [\w./-]+)*: \S`)

// See the section Commits of CONTRIBUTING.md.
func TestHistory_has_subjects_and_bodies_in_form(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat(".git"); err != nil {
		t.Skip("the source has no history:", err)
	}
	out, err := exec.CommandContext(t.Context(), "git", "log", "--no-merges", "-z",
		"--max-count", strconv.Itoa(checked), "--format=%h%n%B").Output()
	if err != nil { // no git, or one that does not trust the owner of the folder
		t.Skipf("the history cannot be read: %v", err)
	}
	for commit := range strings.SplitSeq(strings.TrimRight(string(out), "\x00"), "\x00") {
		hash, message, _ := strings.Cut(commit, "\n")
		for _, problem := range problemsOf(message) {
			t.Errorf("commit %s: %s", hash, problem)
		}
	}
}

func TestHistory_finds_what_is_not_in_form(t *testing.T) {
	t.Parallel()
	const subject, reason = "db: keep what is shown\n", "The reason,\nand more of it.\n"
	for name, test := range map[string]struct{ message, want string }{
		"in form":          {"db, web/page: keep what is shown\n\n" + reason, ""},
		"no area":          {"Keep what is shown\n\n" + reason, "no area"},
		"long subject":     {"db: " + strings.Repeat("ä", maxSubject-3) + "\n\n" + reason, "73 columns"},
		"no body":          {subject, "no body"},
		"no line between":  {subject + reason, "no empty line"},
		"short body":       {subject + "\nThe reason.\n", "1 lines"},
		"long body":        {subject + "\n" + strings.Repeat(reason+"\n", 4) + "The end.\n", "9 lines"},
		"longest body":     {subject + "\n" + strings.Repeat(reason+"\n", 4), ""},
		"long line":        {subject + "\nThe reason:\n" + strings.Repeat("a", maxBodyLine+1) + "\n", "79 columns"},
		"long quoted line": {subject + "\n" + reason + "\n    " + strings.Repeat("a", maxBodyLine) + "\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := strings.Join(problemsOf(test.message), "; ")
			if (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
				t.Errorf("problems: got %q, want %q", got, test.want)
			}
		})
	}
}

// problemsOf returns what is wrong with the form of a commit's message.
func problemsOf(message string) (problems []string) {
	lines := strings.Split(strings.TrimSpace(message), "\n")
	subject, rest := lines[0], lines[1:]
	if !subjectForm.MatchString(subject) {
		problems = append(problems, fmt.Sprintf("%q has no area", subject))
	}
	if n := utf8.RuneCountInString(subject); n > maxSubject {
		problems = append(problems, fmt.Sprintf("%q has %d columns, want at most %d", subject, n, maxSubject))
	}
	switch {
	case len(rest) == 0:
		problems = append(problems, "no body that says why")
	case rest[0] != "":
		problems = append(problems, "no empty line between subject and body")
	}
	written := 0
	for _, line := range rest {
		if line == "" || strings.HasPrefix(line, "    ") { // quoted
			continue
		}
		written++
		if n := utf8.RuneCountInString(line); n > maxBodyLine {
			problems = append(problems, fmt.Sprintf("%q has %d columns, want at most %d", line, n, maxBodyLine))
		}
	}
	if len(rest) > 0 && (written < minBodyLines || written > maxBodyLines) {
		problems = append(problems, fmt.Sprintf("the body has %d lines, want %d to %d", written, minBodyLines, maxBodyLines))
	}
	return problems
}
