package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"portico/cmd/portico/operator"
	"portico/internal/testkit/postgres"
	"portico/model"
)

// The audit trail records every action with the interface that it came by and with the address of
// its client. It takes the address from a trusted proxy, and from nobody else.
func TestAudit_command(t *testing.T) {
	t.Parallel()
	settings := []string{
		"PORTICO_DATABASE_URL=" + postgres.URL(t, migrate), "PORTICO_WORKERS=0", "PORTICO_TRUSTED_PROXIES=127.0.0.1",
	}
	server := serve(t, dataDir(t), settings...)
	ada := server.newUser(t, "ada@example.com", "--pro")
	server.newUser(t, "eve@example.com")
	var made struct{ SpaceID string }
	ada.Call("POST", "/v1/spaces", map[string]any{"title": "Hall"}).Want(http.StatusCreated, &made)
	space := made.SpaceID
	from := http.Header{"X-Forwarded-For": {"192.0.2.1, 203.0.113.7"}, "Authorization": {"Bearer " + ada.Key}}
	ada.Send("DELETE", server.URL+"/v1/spaces/"+space, from, nil, 0).Want(http.StatusOK, nil)
	if _, errs, code := runCommand(t, server.dir, settings, "user", "set", ada.ID, "--free"); code != 0 {
		t.Fatalf("user set: got %d, %q, want 0", code, errs)
	}

	out, errs, code := runCommand(t, server.dir, settings, "audit", "--user", "ADA@example.com", "--json")
	if code != 0 || errs != "" {
		t.Fatalf("audit: got %d, %q, want 0", code, errs)
	}
	var types []string
	for line := range strings.Lines(out) {
		var event operator.EventView
		check(t, json.Unmarshal([]byte(line), &event))
		types = append(types, string(event.Type)+" "+event.Door)
		if event.UserID != ada.ID {
			t.Errorf("event: got %+v, want one of %s", event, ada.ID)
		}
		if event.Type == model.EventAccountChanged {
			want := []model.SecurityEventChange{{Field: model.PlanField, Before: "pro", After: "free"}}
			if diff := cmp.Diff(want, event.Changes); diff != "" || event.Detail != "Plan pro to free" {
				t.Errorf("change: got the detail %q, want Plan pro to free; changes (-want +got):\n%s", event.Detail, diff)
			}
		}
		if event.Type == model.EventSpaceDeleted && (event.Address != "203.0.113.7" || event.Subject != space || event.Title != "Hall" || event.Detail != "Hall" || event.RequestID == "") {
			t.Errorf("deletion: got %+v, want it from 203.0.113.7 with the space", event)
		}
	}
	want := "account-created command, key-created command, space-deleted rest, account-changed command"
	if got := strings.Join(types, ", "); got != want {
		t.Errorf("types: got %q, want %q", got, want)
	}
	if strings.Contains(out, ada.Key) {
		t.Error("trail: got the key in it, want no secrets")
	}
	testAuditText(t, server, space)
	line := server.LoggedWhere("request", "path", "/v1/spaces/"+space)
	if line["user_id"] != ada.ID || line["address"] != "203.0.113.7" {
		t.Errorf("line of the request: got %v, want the user's id and the client's address", line)
	}
}

// testAuditText checks the form for people, and the choices.
func testAuditText(t *testing.T, server *process, space string) {
	t.Helper()
	out, _, code := runCommand(t, server.dir, server.settings, "audit", "--since", "1h")
	if code != 0 || strings.Count(out, "\n") != 6 || !strings.Contains(out, "  rest     203.0.113.7      "+space+"  Hall\n") ||
		!strings.Contains(out, "Plan pro to free") {
		t.Errorf("audit of all: got %d and\n%s, want six lines with the deletion", code, out)
	}
	if out, _, code := runCommand(t, server.dir, server.settings, "audit", "--since", "2100-01-01"); code != 0 || out != "" {
		t.Errorf("audit of the future: got %d, %q, want nothing", code, out)
	}
	if _, errs, code := runCommand(t, server.dir, server.settings, "audit", "--user", "nobody@example.com"); code != 1 || errs != "portico: User not found\n" {
		t.Errorf("audit of nobody: got %d, %q, want 1 and why", code, errs)
	}
	if _, errs, code := runCommand(t, server.dir, server.settings, "audit", "--since", "soon"); code != 1 || !strings.Contains(errs, "not an age") {
		t.Errorf("audit since soon: got %d, %q, want 1 and why", code, errs)
	}
}
