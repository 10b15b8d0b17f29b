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

// privacyComparison matches a comparison of the privacy of a space with a value. A comparison with
// a parameter, as in the filter of a list, decides nothing about rights. Neither does one with
// another column, or with an earlier privacy (before->>'privacy').
var privacyComparison = regexp.MustCompile(`(?i)\bprivacy\s*(?:=|<>|!=|IN\b)\s*(?:ANY\s*)?\(?'.*`)

// privacyAssignment matches the start of a statement that sets the privacy, which compares nothing.
var privacyAssignment = regexp.MustCompile(`(?i)\bSET privacy = '`)

// lockComparison matches a condition on the lock of a space.
var lockComparison = regexp.MustCompile(`(?i)locked_until\s*(?:IS\b|<|>).*|lock_token\s+IS\b.*`)

// A statement with a condition of its own would not follow a change of the rule.
func TestAccess_is_decided_by_one_rule(t *testing.T) {
	t.Parallel()
	for _, rule := range []struct {
		condition *regexp.Regexp
		want      string
	}{
		{ownerComparison, "ownedBy, belongsTo or ownerOf"},
		{privacyComparison, "readable or public"},
		{lockComparison, "notLockedByAnother or editableSpace"},
	} {
		for name, source := range sourcesExcept(t, "owner.go") {
			for _, found := range conditionsIn(source, rule.condition) {
				t.Errorf("%s decides by %q, want %s of owner.go", name, found, rule.want)
			}
		}
	}
}

func conditionsIn(source string, condition *regexp.Regexp) []string {
	return condition.FindAllString(privacyAssignment.ReplaceAllString(source, ""), -1)
}

func TestPrivacyComparison_finds_every_place_of_a_statement(t *testing.T) {
	t.Parallel()
	for statement, want := range map[string]bool{
		"WHERE s.privacy = 'Public'":                  true,
		"JOIN spaces AS s ON s.privacy = 'Public'":    true,
		"CASE WHEN privacy <> 'Private'":              true,
		"SELECT title, privacy IN ('Public')":         true,
		"AND privacy = ANY('{Public}')":               true,
		"UPDATE spaces SET privacy = 'Private'":       false,
		"AND privacy = ANY(?::text[])":                false,
		"AND spaces.privacy <> shown.privacy":         false,
		"AND before->>'privacy' <> 'Public'":          false,
		"INSERT INTO spaces (privacy) VALUES ('Any')": false,
	} {
		if got := len(conditionsIn(statement, privacyComparison)) > 0; got != want {
			t.Errorf("%s: got %v, want %v", statement, got, want)
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
