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

// A statement with a condition of its own would not follow a change of the rule.
func TestOwner_is_compared_by_one_rule(t *testing.T) {
	t.Parallel()
	for name, source := range sourcesExcept(t, "owner.go") {
		for _, found := range ownerComparison.FindAllString(source, -1) {
			t.Errorf("%s compares an owner with %q, want ownedBy, ofAccount or ownerOf of owner.go", name, found)
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
