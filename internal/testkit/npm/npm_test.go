package npm_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"portico/internal/testkit/npm"
)

// isolate sets up an environment with an empty cache, and with scripts as its only
// commands. It returns the cache folder.
func isolate(t *testing.T, commands map[string]string) (cache string) {
	t.Helper()
	home, bin := t.TempDir(), t.TempDir()
	for name, script := range commands {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("HOME", home)
	t.Setenv("XDG_CACHE_HOME", filepath.Join(home, "cache"))
	t.Setenv("PATH", bin)
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	return cache
}

func packages(lock string) fstest.MapFS {
	return fstest.MapFS{
		"package.json": {Data: []byte("{}")}, "package-lock.json": {Data: []byte(lock)}, ".npmrc": {},
	}
}

func TestInstall_installs_once_for_each_lock_file(t *testing.T) {
	cache := isolate(t, map[string]string{"npm": `[ "$1" = ci ] && [ -f package-lock.json ] && > installed`})
	first, err := npm.Install(t.Context(), "test", packages("one"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(first, "installed")); err != nil || filepath.Dir(first) != cache {
		t.Errorf("folder: got %s, %v, want a folder in %s with npm's file", first, err, cache)
	}
	other, err := npm.Install(t.Context(), "test", packages("two"))
	if err != nil || other == first {
		t.Errorf("another lock file: got %s, %v, want another folder than %s", other, err, first)
	}
	t.Setenv("PATH", "")
	if again, err := npm.Install(t.Context(), "test", packages("one")); err != nil || again != first {
		t.Errorf("again, without npm: got %s, %v, want %s", again, err, first)
	}
}

func TestInstall_leaves_nothing_when_npm_fails(t *testing.T) { //nolint:paralleltest // changes the environment
	cache := isolate(t, map[string]string{"npm": "echo no network; exit 1"})
	if _, err := npm.Install(t.Context(), "test", packages("one")); err == nil || !strings.Contains(err.Error(), "no network") {
		t.Errorf("got %v, want npm's output", err)
	}
	left, err := os.ReadDir(cache)
	if err != nil || len(left) != 0 {
		t.Errorf("left in the cache: got %v, %v, want nothing", left, err)
	}
}

func TestNode(t *testing.T) { //nolint:paralleltest // changes the environment
	for _, test := range []struct{ name, version, want string }{
		{"finds one that is new enough", "v22.3.1", ""},
		{"refuses one that is older", "v20.9.0", "older than 22"},
		{"refuses another program", "node", "is not a version"},
	} {
		t.Run(test.name, func(t *testing.T) {
			isolate(t, map[string]string{"node": "echo " + test.version})
			path, err := npm.Node(t.Context(), 22)
			if test.want == "" && (err != nil || filepath.Base(path) != "node") {
				t.Errorf("got %s, %v, want its path", path, err)
			}
			if test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("got %s, %v, want an error with %q", path, err, test.want)
			}
		})
	}
	t.Run("reports that there is none", func(t *testing.T) {
		isolate(t, nil)
		if path, err := npm.Node(t.Context(), 22); err == nil || err.Error() != "node is not installed" {
			t.Errorf("got %s, %v", path, err)
		}
	})
}
