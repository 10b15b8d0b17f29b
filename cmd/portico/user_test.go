package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"portico/cmd/portico/operator"
)

// testUserCommands runs the commands beside a server that has the database.
func testUserCommands(t *testing.T, server *process) {
	user := func(input string, args ...string) (out, errs string, code int) {
		return runCommandWith(t, input, server.dir, nil, append([]string{"user"}, args...)...)
	}
	c := server.newUser(t, "operated@example.com", "--name", "Op", "--quota", "5MB")

	out, errs, code := user("", "add", "Operated@Example.com")
	if out != "" || errs != "portico: email belongs to another account\n" || code != 1 {
		t.Errorf("add a taken address: got %q, %q, %d", out, errs, code)
	}
	out, errs, code = user("", "set", "operated@example.com", "--pro", "--quota", "7MB")
	var changed operator.Account
	if err := json.Unmarshal([]byte(out), &changed); err != nil || errs != "" || code != 0 {
		t.Errorf("set: got %q, %q, %d, want JSON alone", out, errs, code)
	}
	if changed.Plan != "pro" || changed.Quota != 7_000_000 || changed.Name != "Op" {
		t.Errorf("set: got %+v, want pro, 7 MB and the name kept", changed)
	}
	var me struct {
		Plan    string
		Storage struct{ Quota int64 }
	}
	c.Call("GET", "/v1/user/me", nil).Want(http.StatusOK, &me)
	if me.Plan != "pro" || me.Storage.Quota != 7_000_000 {
		t.Errorf("server: got %+v, want what was set", me)
	}
	if out, errs, code = user("a long password\n", "set", "operated@example.com", "--password", "-"); code != 0 {
		t.Errorf("set a password from standard input: got %q, %q, %d, want 0", out, errs, code)
	}
	c.Call("GET", "/v1/user/me", nil).Want(http.StatusUnauthorized, nil) // a new password ends the key
	if out, errs, code = user("password\n", "set", "operated@example.com", "--password=-"); code != 1 || !strings.Contains(errs, "most common") {
		t.Errorf("set a common password: got %q, %q, %d, want 1 and why", out, errs, code)
	}
	if out, errs, code = user("\n", "set", "operated@example.com", "--password=-"); code != 1 || !strings.Contains(errs, "standard input is empty") {
		t.Errorf("an empty password: got %q, %q, %d, want it refused", out, errs, code)
	}
	if out, errs, code = user("short\n", "set", "operated@example.com", "--password=-"); code != 1 || !strings.Contains(errs, "at least 8") {
		t.Errorf("set a short password: got %q, %q, %d, want 1 and why", out, errs, code)
	}
	if out, errs, code = user("", "set", "nobody@example.com", "--free"); errs != "portico: User not found\n" || code != 1 {
		t.Errorf("set an unknown account: got %q, %q, %d", out, errs, code)
	}
	if out, errs, code = user("", "list"); errs != "" || code != 0 || !strings.Contains(out, `"operated@example.com"`) {
		t.Errorf("list: got %q, %q, %d, want the account", out, errs, code)
	}
	for line := range strings.Lines(out) {
		if !json.Valid([]byte(line)) {
			t.Errorf("list: got %q, want JSON", line)
		}
	}
	testAccessCommands(t, server)
}

// testAccessCommands runs the commands of operators: on a server that runs, their effect is
// immediate.
func testAccessCommands(t *testing.T, server *process) {
	run := func(want string, args ...string) string {
		t.Helper()
		out, errs, code := runCommand(t, server.dir, nil, args...)
		if (want == "") != (code == 0) || !strings.Contains(errs, want) {
			t.Errorf("%q: got %q, %q, %d, want %q", args, out, errs, code, want)
		}
		return out
	}
	c := server.newUser(t, "moderated@example.com")
	var space struct{ SpaceID string }
	c.Call("POST", "/v1/spaces", map[string]any{"title": "Shown", "privacy": "Public"}).Want(http.StatusCreated, &space)
	if out := run("", "space", "list", "--search", space.SpaceID); !strings.Contains(out, `"title":"Shown"`) {
		t.Errorf("space list: got %q, want the space", out)
	}
	run("must be one of", "space", "takedown", space.SpaceID, "--reason", "boring")
	run("", "space", "takedown", space.SpaceID, "--reason", "spam", "--text", "Advertising")
	publish := map[string]any{"spaceId": space.SpaceID, "roomPrivacy": "Public"}
	c.Call("POST", "/v1/spaces/update-privacy", publish).Want(http.StatusForbidden, nil)
	if out := run("", "space", "list", "--taken-down"); !strings.Contains(out, `"text":"Advertising"`) {
		t.Errorf("space list: got %q, want the takedown", out)
	}
	run("", "space", "restore", space.SpaceID)
	c.Call("POST", "/v1/spaces/update-privacy", publish).Want(http.StatusOK, nil)

	if out := run("", "user", "operator", "moderated@example.com", "on"); !strings.Contains(out, `"operator":true`) {
		t.Errorf("operator on: got %q", out)
	}
	run("", "user", "operator", "moderated@example.com", "off")
	run("", "user", "disable", "moderated@example.com", "--reason", "Spam")
	c.Call("GET", "/v1/user/me", nil).Want(http.StatusUnauthorized, nil)
	if out := run("", "user", "list", "--search", "moderated@"); !strings.Contains(out, `"disabled_reason":"Spam"`) {
		t.Errorf("list: got %q, want the disabled account", out)
	}
	run("", "user", "enable", "moderated@example.com")
	run("add --yes", "user", "delete", "moderated@example.com")
	run("", "user", "delete", "moderated@example.com", "--yes")
	run("User not found", "user", "enable", "moderated@example.com")
}

// TestUserCommands_without_a_server runs the commands as a script does before the first start of a
// server. Each command starts the private Postgres and prints nothing about it.
func TestUserCommands_without_a_server(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	if _, errs, code := runCommand(t, dir, nil, "migrate"); code != 0 {
		t.Fatalf("migrate: got %q, %d, want 0", errs, code)
	}
	first, errs, code := runCommand(t, dir, nil, "user", "add", "first@example.com")
	if errs != "" || code != 0 || !json.Valid([]byte(first)) {
		t.Fatalf("add: got %q, %q, %d, want JSON alone", first, errs, code)
	}
	listed, errs, code := runCommand(t, dir, nil, "user", "list")
	if errs != "" || code != 0 || !strings.Contains(listed, `"first@example.com"`) {
		t.Errorf("list: got %q, %q, %d, want the account", listed, errs, code)
	}
	if strings.Contains(listed, "api_key") {
		t.Errorf("list: got %q, want no key in it", listed)
	}
	awaitNoPostgres(t, dir)
}
