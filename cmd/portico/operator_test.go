package main

import (
	"encoding/json"
	"net"
	"os"
	"strings"
	"testing"

	"portico/cmd/portico/operator"
	"portico/db"
	"portico/internal/testkit/postgres"
	"portico/internal/testkit/s3"
	"portico/model"
)

// A command in the wrong folder must not leave a new database there: an account in it would have a
// key that no server knows. This applies to a folder that the operator has named, too.
func TestCommands_that_need_accounts_create_no_database(t *testing.T) {
	t.Parallel()
	for _, args := range []string{
		"user add ada@example.com", "user list", "user set ada@example.com --pro", "user operator ada@example.com on",
		"user disable ada@example.com", "user enable ada@example.com", "user delete ada@example.com --yes",
		"user codes off ada@example.com", "audit", "space list", "job list", "export --user=ada@example.com a.zip", "backup a", "doctor",
	} {
		for _, named := range []string{"./data", "elsewhere"} {
			t.Run(args+" in "+named, func(t *testing.T) {
				t.Parallel()
				cmd := installation("").Command([]string{"PORTICO_DATA_DIR=" + named}, strings.Fields(args)...)
				if named == "./data" { // the default
					cmd = installation("").Command([]string{"PORTICO_DATA_DIR="}, strings.Fields(args)...)
				}
				cmd.Dir = t.TempDir()
				out, err := cmd.CombinedOutput()
				want := "portico: there is no database in " + named + ": set PORTICO_DATA_DIR to the data folder of the server, or PORTICO_DATABASE_URL"
				if cmd.ProcessState.ExitCode() != 1 || !strings.HasPrefix(string(out), want) {
					t.Errorf("got %q, %v, want %q and the exit code 1", out, err, want)
				}
				if entries, err := os.ReadDir(cmd.Dir); err != nil || len(entries) > 0 {
					t.Errorf("folder: got %v, %v, want nothing in it", entries, err)
				}
			})
		}
	}
}

func TestUser_codes_off_disables_one_time_codes(t *testing.T) {
	t.Parallel()
	address, dir := postgres.URL(t, migrate), dataDir(t)
	settings := []string{"PORTICO_DATABASE_URL=" + address}
	added, errs, code := runCommand(t, dir, settings, "user", "add", "ada@example.com")
	if code != 0 {
		t.Fatalf("add: got %d, %q, want 0", code, errs)
	}
	var ada operator.Account
	check(t, json.Unmarshal([]byte(added), &ada))
	database, err := db.Open(t.Context(), db.Options{URL: address})
	check(t, err)
	t.Cleanup(func() { check(t, database.Close()) })
	sealed := []byte("a sealed secret")
	check(t, database.SignIns().StartOneTimeCodes(t.Context(), ada.ID, sealed))
	if on, err := database.SignIns().ConfirmOneTimeCodes(t.Context(), ada.ID, sealed, 1, [][]byte{[]byte("a recovery code")}); err != nil || !on {
		t.Fatalf("turn codes on: got %t, %v", on, err)
	}

	out, errs, code := runCommand(t, dir, settings, "user", "codes", "off", "Ada@example.com")
	if code != 0 || errs != "" || !strings.Contains(out, ada.ID) {
		t.Errorf("off: got %q, %q, %d, want the account", out, errs, code)
	}
	if codes, err := database.SignIns().OneTimeCodes(t.Context(), ada.ID); err != nil || codes != nil {
		t.Errorf("codes: got %+v, %v, want none", codes, err)
	}
	trail, _, _ := runCommand(t, dir, settings, "audit", "--json")
	if want := `"type":"` + string(model.EventCodesDisabled) + `","user_id":"` + ada.ID + `","door":"command"`; !strings.Contains(trail, want) {
		t.Errorf("trail: got %q, want %s in it", trail, want)
	}
	if _, errs, code = runCommand(t, dir, settings, "user", "codes", "off", ada.ID); code != 1 || errs != "portico: One-time codes are off\n" {
		t.Errorf("off again: got %q, %d, want a refusal", errs, code)
	}
}

// The bucket here accepts connections and never answers, which takes longest to notice.
func TestServe_names_a_bucket_that_does_not_answer(t *testing.T) {
	t.Parallel()
	silent, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	check(t, err)
	t.Cleanup(func() { _ = silent.Close() })
	checkNamesBucket(t, silent.Addr(), "")
}

func TestServe_says_why_a_bucket_cannot_be_reached(t *testing.T) {
	t.Parallel()
	closed, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	check(t, err)
	check(t, closed.Close())
	checkNamesBucket(t, closed.Addr(), "connection refused")
}

// checkNamesBucket starts a server whose bucket is at address, and looks for the reason in its log.
func checkNamesBucket(t *testing.T, address net.Addr, reason string) {
	t.Helper()
	server := serveBeside(t, append(s3.Environment(), "PORTICO_STORAGE_URL=s3://spaces?endpoint=http://"+address.String())...)
	line := server.LoggedWhere("the bucket cannot be used", "level", "WARN")
	if got, _ := line["error"].(string); got == "" || !strings.Contains(got, reason) {
		t.Errorf("line: got %v, want the reason, with %q in it", line, reason)
	}
	check(t, probe(server.URL+"/livez"))
}
