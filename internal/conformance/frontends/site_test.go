package frontends_test

import (
	"os"
	"path/filepath"
	"testing"

	"portico/internal/testkit/browser"
)

const (
	// scriptsDir contains the applications, the scripts and their package.json.
	scriptsDir = "node"
	schemaFile = "../../../schema.graphqls"
)

// site contains the built applications and the browser that displays them.
type site struct{ scripts *browser.Scripts }

// newSite builds the applications. It skips the test if the browser or a package is missing.
func newSite(t *testing.T) site {
	t.Helper()
	s := site{scripts: browser.New(t, browser.Options{Name: "frontends", Scripts: scriptsDir})}
	schema, err := os.ReadFile(schemaFile)
	check(t, err)
	check(t, os.WriteFile(filepath.Join(s.scripts.Folder, filepath.Base(schemaFile)), schema, 0o600))
	s.run(t, browser.Command{Script: "build.mjs", Args: applications})
	return s
}

// run runs a script to its end and returns what it has written.
func (s site) run(t *testing.T, command browser.Command) browser.Output {
	t.Helper()
	out, err := s.scripts.Run(t.Context(), command)
	if err != nil {
		t.Fatalf("node %s %q: got %v, want it to end with code 0\n%s", command.Script, command.Args, err, out.Text())
	}
	return out
}

// outcome is the result of a step.
type outcome struct {
	Name         string
	Error        string // empty when it went well
	Milliseconds int
}

// walk walks an application through the scenario, up to the first step that fails.
func (s site) walk(t *testing.T, application string, env ...string) []outcome {
	t.Helper()
	return browser.Lines[outcome](t, s.run(t, browser.Command{Script: "walk.mjs", Args: []string{application}, Env: env}))
}
