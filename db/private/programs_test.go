package private

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fakePrograms creates a folder <root>/<name>/bin with programs that only print
// their version.
func fakePrograms(t *testing.T, root, name, version string) string {
	t.Helper()
	dir := filepath.Join(root, name, "bin")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatalf("MkdirAll: %v", err)
	}
	script := fmt.Sprintf("#!/bin/sh\necho %q\n", version)
	for _, program := range []string{"postgres", "initdb"} {
		if err := os.WriteFile(filepath.Join(dir, program), []byte(script), 0o755); err != nil {
			t.Fatalf("WriteFile: %v", err)
		}
	}
	return dir
}

func TestFind(t *testing.T) {
	t.Parallel()
	root := openFolder(t)
	nine := fakePrograms(t, root, "9.6", "postgres (PostgreSQL) 9.6.24")
	fifteen := fakePrograms(t, root, "15", "postgres (PostgreSQL) 15.8 (Debian 15.8-1)")
	beta := fakePrograms(t, root, "18", "postgres (PostgreSQL) 18beta1")
	other := fakePrograms(t, root, "other", "something else")
	packages := search{globs: []string{filepath.Join(root, "*", "bin")}}
	link := filepath.Join(openFolder(t), "postgres")
	if err := os.Symlink(filepath.Join(fifteen, "postgres"), link); err != nil {
		t.Fatalf("Symlink: %v", err)
	}
	path := nine + string(filepath.ListSeparator) + filepath.Dir(link)

	for _, row := range []struct {
		name   string
		search search
		want   int
		dir    string // empty: not found
		says   []string
	}{
		{"the newest", packages, 0, beta, nil},
		{"the version of the data", packages, 15, fifteen, nil},
		{"on the path, behind a link", search{path: path}, 0, fifteen, nil},
		{"the named one alone", search{named: fifteen, globs: packages.globs}, 0, fifteen, nil},
		{"not the version of the data", packages, 16, "", []string{
			"the data was created by PostgreSQL 16", fifteen + " (version 15)", "apt install postgresql-16",
			"postgresql16-server", "postgresql@16", "The data is unchanged", "pg_upgrade",
		}},
		{"too old", search{named: nine}, 0, "", []string{"no PostgreSQL 14 or newer", nine + " (version 9)"}},
		{"not a PostgreSQL", search{named: other}, 0, "", []string{other + " (not a PostgreSQL)"}},
		{"no programs", search{named: "/nowhere"}, 0, "", []string{"Looked in: /nowhere.", "/nowhere (no initdb)"}},
		{"nothing anywhere", search{globs: []string{"/nowhere/*/bin"}}, 0, "", []string{
			"no PostgreSQL 14 or newer found", "Looked in: /nowhere/*/bin, PATH.", "apt install postgresql",
			"dnf install postgresql-server", "brew install postgresql@", "PORTICO_PG_BIN", "PORTICO_DATABASE_URL",
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			found, err := row.search.find(t.Context(), row.want, account{})
			if row.dir != "" && err != nil {
				t.Fatalf("find: %v", err)
			}
			if got, want := found.folder, row.dir; got != want {
				t.Errorf("folder: got %q, want %q", got, want)
			}
			for _, want := range row.says {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("error: got %v, want %q in it", err, want)
				}
			}
		})
	}
}

func TestFind_needs_programs_that_the_user_can_run(t *testing.T) {
	t.Parallel()
	needRoot(t)
	dir := fakePrograms(t, closedFolder(t), "15", "postgres (PostgreSQL) 15.8")
	nobody := account{uid: 65534, gid: 65534, name: "nobody", dropsRoot: true}
	_, err := search{named: dir}.find(t.Context(), 0, nobody)
	if want := "user nobody cannot run it"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("find: got %v, want %q in it", err, want)
	}
}

func TestNewSearch_prefers_the_named_folder(t *testing.T) {
	t.Setenv("PORTICO_PG_BIN", "/from/environment")
	for _, row := range []struct{ named, want string }{
		{"/from/option", "/from/option"},
		{"", "/from/environment"},
	} {
		if got := newSearch(row.named).named; got != row.want {
			t.Errorf("newSearch(%q): got %q, want %q", row.named, got, row.want)
		}
	}
}

func TestStart_leaves_the_data_of_another_version_alone(t *testing.T) {
	t.Parallel()
	dir := openFolder(t)
	p, err := findLocation(dir, t.TempDir())
	if err != nil {
		t.Fatalf("findPlace: %v", err)
	}
	if err := p.account.ownFolder(p.path("data")); err != nil {
		t.Fatalf("ownFolder: %v", err)
	}
	version := filepath.Join(p.path("data"), "PG_VERSION")
	if err := os.WriteFile(version, []byte("3\n"), 0o600); err != nil {
		t.Fatalf("WriteFile: %v", err)
	}
	_, err = Start(deadline(t), Options{DataFolder: dir})
	if want := "the data was created by PostgreSQL 3"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("Start: got %v, want %q in it", err, want)
	}
	if got, err := os.ReadFile(version); err != nil || string(got) != "3\n" {
		t.Errorf("PG_VERSION: got %q, %v, want it as it was", got, err)
	}
}
