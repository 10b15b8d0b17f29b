// Command schemadiff compares schema.graphqls with the schema of the last release,
// docs/schema-baseline.graphqls, and checks that docs/schema-changes.md lists each change
// under "Unreleased". It refuses changes that break clients without an announcement: a
// field, argument or value must be @deprecated in a release before it is removed.
//
// It is our own, because the known tools for it are for Node, Python and Ruby, and the gate
// needs Go alone. It has the rules of graphql-js' findBreakingChanges and
// findDangerousChanges, and of GraphQL Inspector.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
)

// The files that it reads, below the root of the repository.
const (
	schemaFile    = "schema.graphqls"
	baselineFile  = "docs/schema-baseline.graphqls"
	changelogFile = "docs/schema-changes.md"
)

func main() {
	write := flag.Bool("write", false, "list the changes in "+changelogFile)
	baseline := flag.Bool("baseline", false, "make the schema the new baseline; without -version its changes are forgotten")
	version := flag.String("version", "", "with -baseline: the release that the changes belong to")
	flag.Parse()
	run := check
	switch {
	case *baseline:
		run = func() error { return accept(*version) }
	case *write:
		run = list
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// check reports changes that are not listed or not announced.
func check() error {
	changes, log, err := read()
	if err != nil {
		return err
	}
	return errors.Join(log.check(changes), refuseUnannounced(changes))
}

// refuseUnannounced refuses breaking changes without a deprecation.
func refuseUnannounced(changes []change) error {
	var errs []error
	for _, c := range changes {
		if c.level == breaking && !c.announced {
			errs = append(errs, fmt.Errorf("%s: release it as @deprecated first (docs/graphql.md, Stability)", c.text))
		}
	}
	return errors.Join(errs...)
}

// list writes the changes into the changelog.
func list() error {
	changes, log, err := read()
	if err != nil {
		return err
	}
	log.list(changes)
	return os.WriteFile(changelogFile, []byte(log.String()), 0o644) //nolint:gosec // a file of the repository
}

// accept makes the schema the new baseline.
func accept(version string) error {
	text, err := os.ReadFile(schemaFile)
	if err != nil {
		return err
	}
	changes, log, err := read()
	if err != nil {
		return err
	}
	if version != "" {
		if err := errors.Join(log.check(changes), refuseUnannounced(changes)); err != nil {
			return err
		}
	}
	log.release(version)
	if err := os.WriteFile(changelogFile, []byte(log.String()), 0o644); err != nil { //nolint:gosec // a file of the repository
		return err
	}
	return os.WriteFile(baselineFile, text, 0o644) //nolint:gosec // a file of the repository
}

// read returns the changes since the baseline, and the changelog.
func read() ([]change, *changelog, error) {
	before, err := load(baselineFile)
	if err != nil {
		return nil, nil, err
	}
	after, err := load(schemaFile)
	if err != nil {
		return nil, nil, err
	}
	text, err := os.ReadFile(changelogFile)
	if err != nil {
		return nil, nil, err
	}
	log, err := parseChangelog(string(text))
	return compare(before, after), log, err
}

// load reads and parses the schema in a file.
func load(name string) (*ast.Schema, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return gqlparser.LoadSchema(&ast.Source{Name: name, Input: strings.TrimSpace(string(text))})
}
