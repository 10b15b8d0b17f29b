package console_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"testing"

	"portico/auth"
	"portico/internal/testkit/api"
	"portico/internal/testkit/world"
	"portico/model"
)

// person is a browser in which somebody is signed in.
type person struct {
	t      *testing.T
	w      world.World
	client *http.Client
}

// newPerson signs an account in, in a browser of its own.
func newPerson(t *testing.T, w world.World, address, password string) *person {
	t.Helper()
	jar, err := cookiejar.New(nil)
	check(t, err)
	p := &person{t, w, &http.Client{
		Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	form := url.Values{"email": {address}, "password": {password}}.Encode()
	if got := send(t, w, p.client, http.MethodPost, "/login", form).StatusCode; got != http.StatusSeeOther {
		t.Fatalf("sign in as %s: got %d", address, got)
	}
	return p
}

// ask sends a document as the console does, with one variable named input, and returns the
// response and the reason of its error, or else the code.
func (p *person) ask(document string, input map[string]any) (data map[string]any, refusal string) {
	p.t.Helper()
	body, err := json.Marshal(map[string]any{"query": document, "variables": map[string]any{"input": input}})
	check(p.t, err)
	r, err := http.NewRequestWithContext(p.t.Context(), http.MethodPost, p.w.BaseURL()+"/graphql", bytes.NewReader(body))
	check(p.t, err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	r.Header.Set("User-Agent", "Firefox/140.0 on X11; Linux")
	response, err := p.client.Do(r)
	check(p.t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	check(p.t, err)
	return responseOf(p.t, text)
}

// responseOf reads the response to a document; see ask.
func responseOf(t *testing.T, text []byte) (data map[string]any, refusal string) {
	t.Helper()
	var response struct {
		Data   map[string]any
		Errors []struct {
			Message    string
			Extensions struct{ Code, Reason string }
		}
	}
	if err := json.Unmarshal(text, &response); err != nil {
		t.Fatalf("response: got %s", text)
	}
	if len(response.Errors) > 0 {
		refusal = response.Errors[0].Extensions.Code
		if reason := response.Errors[0].Extensions.Reason; reason != "" {
			refusal = reason
		}
	}
	return response.Data, refusal
}

const (
	readSessions   = `{ viewer { sessions { id current userAgent network } } }`
	endSession     = `mutation ($input: EndSessionInput!) { endSession(input: $input) { user { id } } }`
	endOthers      = `mutation { endOtherSessions { user { id } } }`
	deleteAccount  = `mutation ($input: DeleteAccountInput!) { deleteAccount(input: $input) { deletedUserId } }`
	changePassword = `mutation ($input: ChangePasswordInput!) { changePassword(input: $input) { user { hasPassword } } }`
	updateAccount  = `mutation ($input: UpdateAccountInput!) { updateAccount(input: $input) { user { name } } }`
	startPasskey   = `mutation ($input: StartPasskeyInput!) { startPasskey(input: $input) { options } }`
	addPasskey     = `mutation ($input: AddPasskeyInput!) { addPasskey(input: $input) { user { id } } }`
	removePasskey  = `mutation ($input: RemovePasskeyInput!) { removePasskey(input: $input) { user { id } } }`
	startCodes     = `mutation ($input: StartOneTimeCodesInput!) { startOneTimeCodes(input: $input) { secret } }`
	confirmCodes   = `mutation ($input: ConfirmOneTimeCodesInput!) { confirmOneTimeCodes(input: $input) { recoveryCodes } }`
	endCodes       = `mutation ($input: EndOneTimeCodesInput!) { endOneTimeCodes(input: $input) { user { id } } }`
	disconnectApp  = `mutation ($input: DisconnectAppInput!) { disconnectApp(input: $input) { user { id } } }`
	connectID      = `mutation ($input: ConnectIdentityInput!) { connectIdentity(input: $input) { url } }`
	disconnectID   = `mutation ($input: DisconnectIdentityInput!) { disconnectIdentity(input: $input) { user { id } } }`
)

// sessions returns the ids of the sessions of the account; the current one is the first.
func (p *person) sessions() []string {
	p.t.Helper()
	data, refusal := p.ask(readSessions, nil)
	if refusal != "" {
		p.t.Fatalf("sessions: got %s", refusal)
	}
	var ids []string
	for _, entry := range data["viewer"].(map[string]any)["sessions"].([]any) {
		session := entry.(map[string]any)
		id := session["id"].(string)
		if session["current"].(bool) {
			ids = append([]string{id}, ids...)
			continue
		}
		ids = append(ids, id)
	}
	return ids
}

func (p *person) refuses(name, document string, input map[string]any, want string) {
	p.t.Helper()
	if _, got := p.ask(document, input); got != want {
		p.t.Errorf("%s: got %q, want %q", name, got, want)
	}
}

// addAccount adds an account with the test's password, and returns a client with its key.
func addAccount(t *testing.T, w world.World, address string) *api.Client {
	t.Helper()
	hash, err := auth.NewPasswords().Hash(t.Context(), password)
	check(t, err)
	return w.NewClient(t, model.CreateUser{Email: address, Name: "Somebody", PasswordHash: hash, Plan: model.PlanPro, Quota: 1 << 30})
}
