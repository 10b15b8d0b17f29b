package main

import (
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"portico/db"
	"portico/internal/testkit/postgres"
	"portico/internal/testkit/s3"
	"portico/model"
)

// A command that only reads, run in the wrong folder, must not leave a new database there.
func TestCommands_that_need_accounts_create_no_database(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"user", "list"}, {"user", "set", "ada@example.com", "--pro"}, {"user", "codes", "off", "ada@example.com"}, {"audit"}, {"space", "list"}} {
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

// In the default folder nothing says that the operator is in the right one: an account in a new
// database there would have a key that no server knows.
func TestUserAdd_creates_no_database_in_the_default_folder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cmd := installation("").Command([]string{"PORTICO_DATA_DIR="}, "user", "add", "ada@example.com")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	want := "portico: there is no database in ./data: start portico serve here first, or set PORTICO_DATA_DIR"
	if err == nil || !strings.HasPrefix(string(out), want) {
		t.Errorf("add: got %q, %v, want %q", out, err, want)
	}
	if _, err := os.Lstat(filepath.Join(dir, "data")); !os.IsNotExist(err) {
		t.Errorf("add: got a data folder (%v), want none", err)
	}
}

func TestUserCodesOff(t *testing.T) {
	t.Parallel()
	address, dir := postgres.URL(t, migrate), dataDir(t)
	settings := []string{"PORTICO_DATABASE_URL=" + address}
	added, errs, code := command(t, dir, settings, "user", "add", "ada@example.com")
	if code != 0 {
		t.Fatalf("add: got %d, %q, want 0", code, errs)
	}
	var ada account
	check(t, json.Unmarshal([]byte(added), &ada))
	database, err := db.Open(t.Context(), db.Options{URL: address})
	check(t, err)
	t.Cleanup(func() { check(t, database.Close()) })
	sealed := []byte("a sealed secret")
	check(t, database.StartOneTimeCodes(t.Context(), ada.ID, sealed))
	if on, err := database.ConfirmOneTimeCodes(t.Context(), ada.ID, sealed, 1, [][]byte{[]byte("a recovery code")}); err != nil || !on {
		t.Fatalf("turn codes on: got %t, %v", on, err)
	}

	out, errs, code := command(t, dir, settings, "user", "codes", "off", "Ada@example.com")
	if code != 0 || errs != "" || !strings.Contains(out, ada.ID) {
		t.Errorf("off: got %q, %q, %d, want the account", out, errs, code)
	}
	if codes, err := database.OneTimeCodes(t.Context(), ada.ID); err != nil || codes != nil {
		t.Errorf("codes: got %+v, %v, want none", codes, err)
	}
	trail, _, _ := command(t, dir, settings, "audit", "--json")
	if want := `"type":"` + string(model.EventCodesDisabled) + `","user_id":"` + ada.ID + `","door":"command"`; !strings.Contains(trail, want) {
		t.Errorf("trail: got %q, want %s in it", trail, want)
	}
	if _, errs, code = command(t, dir, settings, "user", "codes", "off", "ada@example.com"); code != 1 || errs != "portico: One-time codes are off\n" {
		t.Errorf("off again: got %q, %d, want a refusal", errs, code)
	}
}

// The bucket here accepts connections and never answers, which takes longest to notice.
func TestServe_names_a_bucket_that_does_not_answer(t *testing.T) {
	t.Parallel()
	silent, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	check(t, err)
	t.Cleanup(func() { _ = silent.Close() })
	server := serveBeside(t, append(s3.Environment(), "PORTICO_STORAGE_URL=s3://spaces?endpoint=http://"+silent.Addr().String())...)
	if line := server.LoggedWhere("the bucket cannot be used", "level", "WARN"); line["error"] == "" {
		t.Errorf("line: got %v, want the reason", line)
	}
	check(t, probe(server.URL+"/livez"))
}
