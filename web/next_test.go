package web

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
)

func TestNext_leads_to_our_own_pages_only(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ next, want string }{
		{"/authorize?client_id=x&redirect_uri=https%3A%2F%2Fa.example%2F", "/authorize?client_id=x&redirect_uri=https%3A%2F%2Fa.example%2F"},
		{"/account/key", "/account/key"},
		{"/", "/"},
		{"", "/console"},
		{"account", "/console"},
		{"https://evil.example/", "/console"},
		{"//evil.example/", "/console"},
		{"///evil.example/", "/console"},
		{`/\evil.example/`, "/console"},
		{`\\evil.example/`, "/console"},
		{`/x\..\..\evil.example`, "/console"},
		{"/\t/evil.example/", "/console"},
		{"/\n/evil.example/", "/console"},
		{" //evil.example", "/console"},
		{"javascript:alert(1)", "/console"},
		{"data:text/html,x", "/console"},
		{"http:evil.example", "/console"},
		{"/%zz", "/console"},
		{"/\x00", "/console"},
		{"/ü", "/console"},
		{"http://portico.example/account/key", "/console"},
	} {
		t.Run(row.next, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequest(http.MethodGet, "/login?"+url.Values{"next": {row.next}}.Encode(), nil)
			if got := nextPath(r); got != row.want {
				t.Errorf("next: got %q, want %q", got, row.want)
			}
		})
	}
}

func TestNext_after_signing_in(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.addUser("ada@example.com")
	for next, want := range map[string]string{"/account/key": "/account/key", "//evil.example/": "/console"} {
		got := w.browser().post("/login", url.Values{"email": {"ada@example.com"}, "password": {password}, "next": {next}})
		wantRedirect(t, got, want)
	}
}

func TestAddressOf_is_a_local_path(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ path, query, want string }{
		{"/", "", "/"},
		{"//", "a=b", "/?a=b"},
		{"/authorize", "", "/authorize"},
		{"//authorize//", "a=b", "/authorize?a=b"},
		{"//evil.example", "", "/evil.example"},
		{`/\evil.example`, "", "/%5Cevil.example"},
		{"/authorize", "a=b%20c&d", "/authorize?a=b%20c&d"},
		{"/authorize", "a=\xc3\xbc\\", "/authorize?a=%C3%BC%5C"},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.URL.Path, r.URL.RawQuery = row.path, row.query
		if got := AddressOf(r); got != row.want || !isLocalPath(got) {
			t.Errorf("AddressOf of %q with the query %q: got %q, want %q", row.path, row.query, got, row.want)
		}
	}
}
