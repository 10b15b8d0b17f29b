package private

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestAccountFor_an_ordinary_user_is_that_user(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("root becomes another user")
	}
	a, err := accountFor("/")
	if err != nil || a.uid != os.Geteuid() || a.dropsRoot {
		t.Errorf("accountFor: got %+v, %v, want uid %d", a, err, os.Geteuid())
	}
}

func TestAccountFor_root(t *testing.T) {
	t.Parallel()
	needRoot(t)
	standard, err := accountFor()
	if err != nil {
		t.Fatalf("accountFor: %v", err)
	}
	dir := openFolder(t)
	folders := map[string]int{"of-root": 0, "of-nobody": 65534, "of-no-name": 54321}
	for name, uid := range folders {
		path := filepath.Join(dir, name)
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatalf("Mkdir: %v", err)
		}
		if err := os.Chown(path, uid, -1); err != nil {
			t.Fatalf("Chown: %v", err)
		}
	}
	for _, row := range []struct {
		folders string
		want    int
	}{
		{"of-nobody", 65534},
		{"of-root of-nobody", 65534},
		{"missing of-nobody", 65534},
		{"of-root", standard.uid},
		{"of-no-name", standard.uid}, // initdb refuses a user without a name
	} {
		var paths []string
		for _, name := range strings.Fields(row.folders) {
			paths = append(paths, filepath.Join(dir, name))
		}
		a, err := accountFor(paths...)
		if err != nil || a.uid != row.want || !a.dropsRoot {
			t.Errorf("%s: got %+v, %v, want uid %d", row.folders, a, err, row.want)
		}
	}
}

func TestRun_becomes_the_account(t *testing.T) {
	t.Parallel()
	needRoot(t)
	cmd := exec.Command("id", "-u")
	cmd.Dir = "/"
	account{uid: 65534, gid: 65534, dropsRoot: true}.applyTo(cmd)
	output, err := cmd.Output()
	if got, want := strings.TrimSpace(string(output)), "65534"; err != nil || got != want {
		t.Errorf("uid: got %q, %v, want %q", got, err, want)
	}
}

// A container may run as any number (docker run --user 1026).
func TestStart_says_that_the_user_needs_a_name(t *testing.T) {
	t.Parallel()
	programs := fakePrograms(t, openFolder(t), "15", "postgres (PostgreSQL) 15.8")
	refusal := "#!/bin/sh\necho 'initdb: could not look up effective user ID 1026: user does not exist' >&2\nexit 1\n"
	if err := os.WriteFile(filepath.Join(programs, "initdb"), []byte(refusal), 0o755); err != nil {
		t.Fatal(err)
	}
	_, err := Start(t.Context(), Options{DataFolder: openFolder(t), Programs: programs})
	if err == nil || !strings.Contains(err.Error(), "start as a user of this machine, or set PORTICO_DATABASE_URL") {
		t.Errorf("start: got %v, want what to do", err)
	}
}
