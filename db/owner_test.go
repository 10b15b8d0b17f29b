package db

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// ownerComparison matches a comparison of an owner that does not use package db's rules of
// ownership. A join that names the owner last, as in u.id = s.owner_id, decides nothing about
// rights. Neither does a comparison of an account with another column: w.user_id = s.owner_id.
var ownerComparison = regexp.MustCompile(`(?i)owner_id\s*(=|<>|!=|IN\b|IS\b).*|split_part\(.*|user_id\s*(=|<>|!=|IN\b)\s*(\(?[?$]|watched\b|["\x60]).*`)

// privacyComparison matches a condition on the privacy of a space. An assignment and a comparison
// with a parameter, as in the filter of a list, decide nothing about rights.
var privacyComparison = regexp.MustCompile(`(?i)(?:WHERE|AND|OR|NOT|[("\x60])\s*(?:\w+\.)?privacy\s*(?:=|<>|!=|IN\b)\s*\(?'.*`)

// lockComparison matches a condition on the lock of a space.
var lockComparison = regexp.MustCompile(`(?i)locked_until\s*(?:IS\b|<|>).*`)

// A statement with a condition of its own would not follow a change of the rule.
func TestAccess_is_decided_by_one_rule(t *testing.T) {
	t.Parallel()
	for _, rule := range []struct {
		condition *regexp.Regexp
		want      string
	}{
		{ownerComparison, "ownedBy, ofAccount or ownerOf"},
		{privacyComparison, "readable or public"},
		{lockComparison, "noOtherLock or editableSpace"},
	} {
		for name, source := range sourcesExcept(t, "owner.go") {
			for _, found := range rule.condition.FindAllString(source, -1) {
				t.Errorf("%s decides by %q, want %s of owner.go", name, found, rule.want)
			}
		}
	}
}

// sourcesExcept returns the production code of this package by the name of its file, without the
// file of this name.
func sourcesExcept(t *testing.T, except string) map[string]string {
	t.Helper()
	names, err := filepath.Glob("*.go")
	check(t, err)
	sources := map[string]string{}
	for _, name := range names {
		if name == except || strings.HasSuffix(name, "_test.go") {
			continue
		}
		source, err := os.ReadFile(name)
		check(t, err)
		sources[name] = string(source)
	}
	return sources
}
