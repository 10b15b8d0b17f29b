package private

import (
	"os"
	"path/filepath"
	"testing"
)

// Root unpacks a release in a folder that only root can enter, and the account of Postgres runs it.
func TestCopyPrograms_makes_them_runnable_by_the_account(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root changes to another account")
	}
	a, err := accountFor(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	if err := os.Chmod(home, 0o700); err != nil {
		t.Fatal(err)
	}
	folder := fakePrograms(t, home, "postgresql", "postgres (PostgreSQL) 18.4 "+home)
	if _, err := majorOf(t.Context(), folder, a); err == nil {
		t.Fatal("got no error where the account cannot enter, want one")
	}
	found, err := copyPrograms(t.Context(), []string{filepath.Join(home, "missing/bin"), folder}, a)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(filepath.Dir(found.folder)) })
	if found.major != 18 || found.folder == folder {
		t.Errorf("got version %d in %s, want 18 in a copy", found.major, found.folder)
	}
	again, err := copyPrograms(t.Context(), []string{folder}, a)
	if err != nil || again != found {
		t.Errorf("again: got %+v, %v, want the same copy", again, err)
	}
	if none, err := copyPrograms(t.Context(), []string{filepath.Join(home, "missing/bin")}, a); none.folder != "" || err != nil {
		t.Errorf("no programs: got %+v, %v, want none", none, err)
	}
}
