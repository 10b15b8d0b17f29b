package main

import (
	"os"
	"strings"
	"testing"
)

// A command that only reads, run in the wrong folder, must not leave a new database there.
func TestCommands_that_need_accounts_create_no_database(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"user", "list"}, {"user", "set", "ada@example.com", "--pro"}, {"audit"}} {
		dir := dataDir(t)
		out, errs, code := command(t, dir, nil, args...)
		if want := "portico: there is no database in " + dir + ": set PORTICO_DATA_DIR"; out != "" || code != 1 || !strings.HasPrefix(errs, want) {
			t.Errorf("%q: got %q, %q, %d, want %q and 1", args, out, errs, code, want)
		}
		if _, err := os.Lstat(dir); !os.IsNotExist(err) {
			t.Errorf("%q: got the data folder (%v), want none", args, err)
		}
	}
}
