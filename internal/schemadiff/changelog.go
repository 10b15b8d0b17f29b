package main

import (
	"errors"
	"fmt"
	"strings"
)

// unreleased is the heading of the changes since the baseline.
const unreleased = "## Unreleased"

// changelog is docs/schema-changes.md: a preface, the entries of the changes since the
// baseline, and the sections of the releases.
type changelog struct {
	preface  string
	entries  []entry
	releases string
}

// entry is a listed change with the lines below it, in which people explain it.
type entry struct {
	line  string
	notes []string
}

// parseChangelog reads a changelog.
func parseChangelog(text string) (*changelog, error) {
	preface, rest, ok := strings.Cut(text, unreleased+"\n")
	if !ok {
		return nil, fmt.Errorf("%s has no heading %q", changelogFile, unreleased)
	}
	log := &changelog{preface: preface}
	unreleasedSection := rest
	if i := strings.Index(rest, "\n## "); i >= 0 {
		unreleasedSection, log.releases = rest[:i], rest[i:]
	}
	for line := range strings.Lines(unreleasedSection) {
		line = strings.TrimRight(line, "\n")
		switch last := len(log.entries) - 1; {
		case strings.HasPrefix(line, "- "):
			log.entries = append(log.entries, entry{line: line})
		case strings.HasPrefix(line, "  ") && last >= 0:
			log.entries[last].notes = append(log.entries[last].notes, line)
		}
	}
	return log, nil
}

// String returns what parseChangelog reads.
func (l *changelog) String() string {
	var text strings.Builder
	text.WriteString(l.preface + unreleased + "\n")
	for i, entry := range l.entries {
		if i == 0 {
			text.WriteString("\n")
		}
		text.WriteString(strings.Join(append([]string{entry.line}, entry.notes...), "\n") + "\n")
	}
	text.WriteString(l.releases)
	return text.String()
}

func lineOf(c change) string { return fmt.Sprintf("- %s: %s", c.level, c.text) }

// check refuses changes that are not listed, and lines without a change.
func (l *changelog) check(changes []change) error {
	var errs []error
	listed, made := map[string]bool{}, map[string]bool{}
	for _, entry := range l.entries {
		listed[entry.line] = true
	}
	for _, c := range changes {
		made[lineOf(c)] = true
		if !listed[lineOf(c)] {
			errs = append(errs, fmt.Errorf("%s does not list the change %q: run make schema-changes", changelogFile, lineOf(c)))
		}
	}
	for _, entry := range l.entries {
		if !made[entry.line] {
			errs = append(errs, fmt.Errorf("%s lists %q, which has not changed: run make schema-changes", changelogFile, entry.line))
		}
	}
	return errors.Join(errs...)
}

// list replaces the entries by the changes. Notes on changes that stay are kept.
func (l *changelog) list(changes []change) {
	notes := map[string][]string{}
	for _, entry := range l.entries {
		notes[entry.line] = entry.notes
	}
	l.entries = nil
	for _, c := range changes {
		l.entries = append(l.entries, entry{lineOf(c), notes[lineOf(c)]})
	}
}

// release moves the entries into a section of their own, or forgets them without a version.
func (l *changelog) release(version string) {
	if version != "" {
		released := changelog{entries: l.entries}
		section := strings.TrimPrefix(released.String(), unreleased)
		l.releases = "\n## " + version + section + l.releases
	}
	l.entries = nil
}
