package main

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"portico/internal/testkit/api"
	"portico/internal/testkit/world"
)

// TestGraphQL_takes_the_session_of_a_page checks which requests may use the session of a signed-in
// user: only requests from the server's own pages.
func TestGraphQL_takes_the_session_of_a_page(t *testing.T) {
	t.Parallel()
	p := world.Start(t)
	v := newVisitorOf(t, p.BaseURL())
	const two = `mutation { createSpace(input: {title: \"Mine\"}) { space { title } } b: createSpace(input: {}) { space { title } } }`
	const viewer, json = `{"query":"` + two + `"}`, "application/json"
	created, refused := `{"createSpace":{"space":{"title":"Mine"}},"b":{"space":{"title":"Untitled space"}}}`, `"UNAUTHENTICATED"`
	for _, row := range []struct {
		name, method, path string
		header             http.Header
		want               string
	}{
		{"a page of ours", "POST", "/graphql", http.Header{"Sec-Fetch-Site": {"same-origin"}}, created},
		{"a page of ours in an older browser", "POST", "/graphql", http.Header{"Origin": {p.BaseURL()}}, created},
		{"another origin of the same site", "POST", "/graphql", http.Header{"Sec-Fetch-Site": {"same-site"}, "Origin": {p.BaseURL()}}, refused},
		{"another site", "POST", "/graphql", http.Header{"Sec-Fetch-Site": {"cross-site"}}, refused},
		{"another origin in an older browser", "POST", "/graphql", http.Header{"Origin": {"http://files.localhost"}}, refused},
		{"no page", "POST", "/graphql", http.Header{}, refused},
		{"an address bar", "GET", "/graphql?query=%7Bviewer%7Bid%7D%7D", http.Header{"Sec-Fetch-Site": {"same-origin"}}, refused},
		{"a stream of a page of ours", "POST", "/graphql", http.Header{"Sec-Fetch-Site": {"same-origin"}, "Accept": {"text/event-stream"}}, created},
		{"a stream of another site", "POST", "/graphql", http.Header{"Sec-Fetch-Site": {"cross-site"}, "Accept": {"text/event-stream"}}, refused},
		{"a stream from an address bar", "GET", "/graphql?query=%7Bviewer%7Bid%7D%7D", http.Header{"Sec-Fetch-Site": {"same-origin"}, "Accept": {"text/event-stream"}}, refused},
		{"a bad key", "POST", "/graphql", http.Header{"Sec-Fetch-Site": {"same-origin"}, "Authorization": {"Bearer portico_x"}}, refused},
		{"REST", "POST", "/v1/spaces", http.Header{"Sec-Fetch-Site": {"same-origin"}}, "Invalid or expired API key"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := v.ask(row.method, row.path, viewer, json, row.header); !strings.Contains(string(got.Body), row.want) {
				t.Errorf("response: got %d %s, want %s in it", got.Status, got.Body, row.want)
			}
		})
	}
	large := strings.Replace(viewer, "Mine", strings.Repeat("x", 2<<20), 1)
	if got := v.ask("POST", "/graphql", large, json, http.Header{"Sec-Fetch-Site": {"same-origin"}}); got.Status != http.StatusRequestEntityTooLarge {
		t.Errorf("a body that is too large: got %d, want 413", got.Status)
	}
	page := v.form(v.url + "/account/key")
	if got := v.post(v.url+"/logout", page.fields, v.url); got.Status != http.StatusSeeOther {
		t.Fatalf("sign out: got %d %s, want %d", got.Status, got.Body, http.StatusSeeOther)
	}
	if got := v.ask("POST", "/graphql", viewer, json, http.Header{"Sec-Fetch-Site": {"same-origin"}}); !strings.Contains(string(got.Body), refused) {
		t.Errorf("signed out: got %d %s, want %s in it", got.Status, got.Body, refused)
	}
}

// TestGraphQL_changes_the_key_of_a_session generates and revokes a key as the person who is
// signed in, without a key.
func TestGraphQL_changes_the_key_of_a_session(t *testing.T) {
	t.Parallel()
	p := world.Start(t)
	v := newVisitorOf(t, p.BaseURL())
	own := http.Header{"Sec-Fetch-Site": {"same-origin"}}
	ask := func(document string) string {
		return string(v.ask("POST", "/graphql", `{"query":"`+document+`"}`, "application/json", own).Body)
	}
	for range 2 { // the second replaces the first
		if got := ask("mutation { generateApiKey { apiKey } }"); !strings.Contains(got, `{"generateApiKey":{"apiKey":"portico_`) {
			t.Fatalf("generateApiKey: got %s, want a key", got)
		}
	}
	if got := ask("mutation { revokeApiKey { revoked } }"); !strings.Contains(got, `{"revokeApiKey":{"revoked":true}}`) {
		t.Fatalf("revokeApiKey: got %s, want true", got)
	}
	// Revoking ends the session too.
	if got := ask("mutation { generateApiKey { apiKey } }"); !strings.Contains(got, `"UNAUTHENTICATED"`) {
		t.Errorf("generateApiKey afterwards: got %s, want a refusal", got)
	}
}

// TestGraphQL_asks_for_the_session_when_the_body_is_there signs out while the body, of a known or an
// unknown length, is on its way.
func TestGraphQL_asks_for_the_session_when_the_body_is_there(t *testing.T) {
	t.Parallel()
	p := world.Start(t)
	for _, length := range []int64{-1, int64(len(`{"query":"{ viewer { id } }"}`))} {
		t.Run(strconv.FormatInt(length, 10), func(t *testing.T) {
			t.Parallel()
			signOutDuringBody(t, p, length)
		})
	}
}

// signOutDuringBody sends an operation in a body of this length, -1 for unknown, signs out before the
// body is complete, and wants a refusal.
func signOutDuringBody(t *testing.T, p world.World, length int64) {
	t.Helper()
	v := newVisitorOf(t, p.BaseURL())
	body, sending := io.Pipe()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, v.url+"/graphql", body)
	check(t, err)
	request.Header = http.Header{"Content-Type": {"application/json"}, "Sec-Fetch-Site": {"same-origin"}}
	request.ContentLength = length
	go func() {
		_, err := io.WriteString(sending, `{"query":"{ viewer`)
		page := v.form(v.url + "/account/key")
		v.post(v.url+"/logout", page.fields, v.url)
		if err == nil {
			_, err = io.WriteString(sending, ` { id } }"}`)
		}
		_ = sending.CloseWithError(err) // nil ends the body
	}()
	for _, cookie := range v.client.Jar.Cookies(request.URL) {
		request.AddCookie(cookie) // those from before the end
	}
	got, err := (&http.Client{}).Do(request)
	check(t, err)
	defer got.Body.Close()
	response, err := io.ReadAll(got.Body)
	check(t, err)
	if !strings.Contains(string(response), `"UNAUTHENTICATED"`) {
		t.Errorf("response: got %d %s, want a refusal", got.StatusCode, response)
	}
}

// ask sends a body with headers and the cookies of the browser.
func (v *visitor) ask(method, path, body, kind string, header http.Header) api.Response {
	v.t.Helper()
	if method == http.MethodGet {
		body = ""
	}
	r, err := http.NewRequestWithContext(v.t.Context(), method, v.url+path, strings.NewReader(body))
	check(v.t, err)
	r.Header = header.Clone()
	r.Header.Set("Content-Type", kind)
	return v.do(r)
}
