package console_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"portico/internal/testkit/api"
	"portico/internal/testkit/world"
	"portico/model"
)

// The way of a person who fears that somebody else knows the password.
func TestAccount_can_be_recovered_from_a_thief(t *testing.T) {
	t.Parallel()
	w := world.Start(t)
	key := addAccount(t, w, email)
	here, there := newPerson(t, w, email, password), newPerson(t, w, email, password)
	third := newPerson(t, w, email, password)
	all := here.sessions()
	if len(all) != 3 {
		t.Fatalf("sessions: got %d, want 3", len(all))
	}
	if _, refusal := here.ask(endSession, map[string]any{"sessionId": third.sessions()[0]}); refusal != "" {
		t.Fatalf("end a session: got %s", refusal)
	}
	third.refuses("a session that was ended", readSessions, nil, "UNAUTHENTICATED")
	if got := len(there.sessions()); got != 2 {
		t.Errorf("sessions: got %d, want 2", got)
	}
	here.refuses("a wrong password", changePassword, map[string]any{"currentPassword": "guessed", "newPassword": "a better horse"}, "WRONG_PASSWORD")
	here.refuses("no password", changePassword, map[string]any{"newPassword": "a better horse"}, "NEEDS_PROOF")
	here.refuses("a short password", changePassword, map[string]any{"currentPassword": password, "newPassword": "short"}, "INVALID")
	data, refusal := here.ask(changePassword, map[string]any{"currentPassword": password, "newPassword": "a better horse"})
	if refusal != "" || data["changePassword"] == nil {
		t.Fatalf("change the password: got %v, %s", data, refusal)
	}
	there.refuses("the other session", readSessions, nil, "UNAUTHENTICATED")
	if err := key.GraphQL(`{ viewer { id } }`, nil, nil); err == nil {
		t.Error("the API key: got a response, want a refusal")
	}
	if got := len(here.sessions()); got != 1 {
		t.Errorf("sessions: got %d, want the one that changed the password", got)
	}
	again := newPerson(t, w, email, "a better horse")
	if _, refusal := here.ask(endOthers, nil); refusal != "" {
		t.Fatalf("end the others: got %s", refusal)
	}
	again.refuses("after all others were ended", readSessions, nil, "UNAUTHENTICATED")
	if got := len(here.sessions()); got != 1 {
		t.Errorf("sessions: got %d, want 1", got)
	}
}

// A key, which programs have, and other accounts change nothing of an account.
func TestAccount_is_its_owner_s_in_a_browser(t *testing.T) {
	t.Parallel()
	w := world.Start(t)
	key := addAccount(t, w, email)
	addAccount(t, w, "eve@example.com")
	ada, eve := newPerson(t, w, email, password), newPerson(t, w, "eve@example.com", password)
	session := ada.sessions()[0]
	for _, row := range []struct {
		document string
		input    map[string]any
		foreign  string // what another account gets
	}{
		{endSession, map[string]any{"sessionId": session}, "NOT_FOUND"},
		{changePassword, map[string]any{"currentPassword": password + "x", "newPassword": "a better horse"}, "WRONG_PASSWORD"},
		{disconnectApp, map[string]any{"appId": "unknown\x00"}, "NOT_FOUND"},
		{disconnectID, map[string]any{"issuer": "https://provider.example", "password": password}, "NOT_FOUND"},
		{connectID, map[string]any{"password": password}, "FORBIDDEN"}, // without a provider
		{connectID, map[string]any{}, "NEEDS_PROOF"},
		{startPasskey, map[string]any{"password": password + "x"}, "WRONG_PASSWORD"},
		{addPasskey, map[string]any{"name": "Phone", "credential": map[string]any{}}, "FORBIDDEN"}, // at an IP address
		{removePasskey, map[string]any{"passkeyId": "unknown", "password": password}, "NOT_FOUND"},
		{startCodes, map[string]any{}, "NEEDS_PROOF"},
		{confirmCodes, map[string]any{"code": "123456"}, "CONFLICT"},
		{endCodes, map[string]any{"password": password}, "NOT_FOUND"},
	} {
		var refused *api.Refusal
		err := key.GraphQL(row.document, map[string]any{"input": row.input}, nil)
		if !errors.As(err, &refused) || refused.Code != model.CodeForbidden {
			t.Errorf("%s by a key: got %v, want %s", row.document, err, model.CodeForbidden)
		}
		eve.refuses(row.document, row.document, row.input, row.foreign)
	}
	if err := key.GraphQL(endOthers, nil, nil); err == nil {
		t.Error("a key ends the sessions: got no error")
	}
	data, refusal := eve.ask(`{ user(id: "`+key.ID+`") { hasPassword apiKeyCreatedAt sessions { id } apps { id } identities { issuer } identityProvider passkeys { id } oneTimeCodes { enabledAt } emailConfirmed receivesMail } }`, nil)
	for field, value := range data["user"].(map[string]any) {
		if value != nil || refusal != "" {
			t.Errorf("%s of another account: got %v, want null", field, value)
		}
	}
	if got := ada.sessions(); len(got) != 1 || got[0] != session {
		t.Errorf("sessions afterwards: got %v, want %s", got, session)
	}
}

func TestAccount_has_a_name(t *testing.T) {
	t.Parallel()
	w := world.Start(t)
	addAccount(t, w, email)
	ada := newPerson(t, w, email, password)
	ada.refuses("no name", updateAccount, map[string]any{"name": " \t"}, "INVALID")
	ada.refuses("a long name", updateAccount, map[string]any{"name": strings.Repeat("ä", 201)}, "INVALID")
	ada.refuses("a name that cannot be stored", updateAccount, map[string]any{"name": "a\x00b"}, "INVALID")
	data, refusal := ada.ask(updateAccount, map[string]any{"name": " Ada Lovelace "})
	if refusal != "" || !strings.Contains(mustJSON(t, data), `"Ada Lovelace"`) {
		t.Errorf("a name: got %v, %s, want Ada Lovelace", data, refusal)
	}
	data, _ = ada.ask(updateAccount, map[string]any{})
	if !strings.Contains(mustJSON(t, data), `"Ada Lovelace"`) {
		t.Errorf("no change: got %v, want the same name", data)
	}
}

func mustJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	check(t, err)
	return string(text)
}

// publish stores a file and a Public space that shows it, and returns their addresses.
func publish(t *testing.T, c *api.Client) (file, space string) {
	t.Helper()
	file = c.Put("plan.png", api.Text("not a picture"))
	c.Call("POST", "/v1/files/upload-complete", api.Completion(file)).Want(http.StatusOK, nil)
	var created struct{ ID, URL string }
	check(t, c.GraphQL(`mutation { createSpace(input: {title: "Hall", privacy: PUBLIC}) { space { id url } } }`, nil, &created))
	return file, created.URL
}

// statusOf returns the status of the response to a stranger.
func statusOf(t *testing.T, address string) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	check(t, err)
	response, err := http.DefaultClient.Do(r)
	check(t, err)
	defer response.Body.Close()
	return response.StatusCode
}

func TestAccount_is_deleted_permanently(t *testing.T) {
	t.Parallel()
	w := world.Start(t)
	key := addAccount(t, w, email)
	here, there := newPerson(t, w, email, password), newPerson(t, w, email, password)
	file, space := publish(t, key)
	for _, address := range []string{file, space} {
		if got := statusOf(t, address); got != http.StatusOK {
			t.Fatalf("%s: got %d, want 200", address, got)
		}
	}
	data, refusal := here.ask(deleteAccount, map[string]any{"password": password})
	if refusal != "" {
		t.Fatalf("delete: got %v, %s", data, refusal)
	}
	for _, address := range []string{file, space, w.BaseURL() + "/u/" + key.ID} {
		if got := statusOf(t, address); got != http.StatusNotFound {
			t.Errorf("%s: got %d, want 404", address, got)
		}
	}
	here.refuses("its session", readSessions, nil, "UNAUTHENTICATED")
	there.refuses("another session", readSessions, nil, "UNAUTHENTICATED")
	if err := key.GraphQL(`{ viewer { id } }`, nil, nil); err == nil {
		t.Error("the key: got a response, want a refusal")
	}
	form := url.Values{"email": {email}, "password": {password}}.Encode()
	if got := send(t, w, here.client, http.MethodPost, "/login", form).StatusCode; got != http.StatusUnprocessableEntity {
		t.Errorf("sign in: got %d, want 422", got)
	}
	if again := addAccount(t, w, email); again.ID == key.ID {
		t.Errorf("a new account with the same address: got the same id %s", again.ID)
	}
}

func TestAccount_is_deleted_only_by_its_owner(t *testing.T) {
	t.Parallel()
	w := world.Start(t)
	key := addAccount(t, w, email)
	ada := newPerson(t, w, email, password)
	_, space := publish(t, key)
	for name, input := range map[string]map[string]any{"NEEDS_PROOF": {}, "WRONG_PASSWORD": {"password": "guessed"}} {
		ada.refuses(name, deleteAccount, input, name)
	}
	if err := key.GraphQL(deleteAccount, map[string]any{"input": map[string]any{"password": password}}, nil); err == nil {
		t.Error("by a key with the password: got no error")
	}
	stale := newPerson(t, w, email, password)
	if _, refusal := ada.ask(endOthers, nil); refusal != "" {
		t.Fatalf("end the others: got %s", refusal)
	}
	stale.refuses("a session that has ended", deleteAccount, map[string]any{"password": password}, "UNAUTHENTICATED")
	if got := statusOf(t, space); got != http.StatusOK {
		t.Errorf("the space afterwards: got %d, want 200", got)
	}
}
