package oauth

import (
	"crypto/tls"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"portico/internal/counter"
)

// publisherSite serves the document of a client, over TLS.
type publisherSite struct {
	*httptest.Server
	asked   atomic.Int32
	handler http.HandlerFunc
}

// address is the id of the client that the site describes.
func (p *publisherSite) address() string { return p.URL + "/client.json" }

// publish makes a world whose server trusts the site and may connect to this
// machine. The site responds as the test says, or with a document that is right.
func publish(t *testing.T, handler http.HandlerFunc) (*world, *publisherSite) {
	t.Helper()
	w, site := newWorld(t), &publisherSite{handler: handler}
	site.Server = httptest.NewTLSServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		site.asked.Add(1)
		if site.handler == nil {
			site.send(rw, nil)
			return
		}
		site.handler(rw, r)
	}))
	t.Cleanup(site.Close)
	trusted := site.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	w.oauth.documents.base.TLSClientConfig = &tls.Config{RootCAs: trusted, MinVersion: tls.VersionTLS12}
	w.oauth.documents.permits = func(address netip.Addr) bool { return address.IsLoopback() }
	w.oauth.documents.ports = nil
	return w, site
}

// send responds with the document, with members of the test's own.
func (p *publisherSite) send(w http.ResponseWriter, members map[string]any) {
	document := map[string]any{
		"client_id": p.address(), "client_name": "Trainer", "redirect_uris": []string{callback, "trainer://callback"},
		"grant_types": []string{"authorization_code", "urn:ietf:params:oauth:grant-type:device_code"}, "logo_uri": "https://client.example/x",
	}
	maps.Copy(document, members)
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_ = json.NewEncoder(w).Encode(document)
}

func TestDocument_stands_for_a_registration(t *testing.T) {
	t.Parallel()
	w, site := publish(t, nil)
	page := w.authorize(askingFor(site.address()))
	host, _ := url.Parse(site.URL)
	for _, want := range []string{"<bdi>Trainer</bdi>", "<strong>" + host.Host + "</strong> describes this app", "<strong>client.example</strong>"} {
		if page.status != http.StatusOK || !strings.Contains(page.body, want) {
			t.Errorf("consent: got %d %s, want %q in it", page.status, page.body, want)
		}
	}
	for range 2 { // the second time it is stored already
		got := w.form("/token", exchange(site.address(), w.code(site.address())))
		token, _ := got.document["access_token"].(string)
		if caller, err := w.keys.Caller(t.Context(), token); err != nil || caller.UserID != w.user.ID {
			t.Fatalf("token: got %d %s (%v), want the key of the account", got.status, got.body, err)
		}
	}
	if got, want := site.asked.Load(), int32(1); got != want {
		t.Errorf("reads of the document: got %d, want %d: it is kept", got, want)
	}
	other := w.register(callback)
	w.wantError(w.form("/token", exchange(other, w.code(site.address()))), http.StatusBadRequest, "invalid_grant")
	w.wantError(w.form("/token", exchange(site.URL+"/other.json", "x")), http.StatusUnauthorized, "invalid_client")
	query := askingFor(site.address())
	query.Set("redirect_uri", "trainer://callback")
	if got := w.authorize(query); got.status != http.StatusBadRequest || got.header.Get("Location") != "" {
		t.Errorf("redirect URI of another scheme: got %d to %q, want a page", got.status, got.header.Get("Location"))
	}
	query.Set("redirect_uri", "https://evil.example/")
	if got := w.authorize(query); got.status != http.StatusBadRequest || got.header.Get("Location") != "" {
		t.Errorf("redirect URI that is not in the document: got %d to %q, want a page", got.status, got.header.Get("Location"))
	}
}

// ChatGPT's document prefers a key of its own, and offers none as well.
func TestDocument_may_prefer_another_method_beside_none(t *testing.T) {
	t.Parallel()
	w, site := publish(t, nil)
	site.handler = func(rw http.ResponseWriter, _ *http.Request) {
		site.send(rw, map[string]any{
			"token_endpoint_auth_method": "private_key_jwt", "token_endpoint_auth_methods_supported": []string{"none", "private_key_jwt"},
			"token_endpoint_auth_signing_alg": "RS256", "jwks_uri": "https://client.example/jwks.json",
		})
	}
	got := w.form("/token", exchange(site.address(), w.code(site.address())))
	token, _ := got.document["access_token"].(string)
	if caller, err := w.keys.Caller(t.Context(), token); err != nil || caller.UserID != w.user.ID {
		t.Errorf("token: got %d %s (%v), want the key of the account", got.status, got.body, err)
	}
}

// The audit trail and the list of apps show the name beside the host of the app.
func TestDocument_gives_a_name_without_invisible_characters(t *testing.T) {
	t.Parallel()
	w, site := publish(t, nil)
	site.handler = func(rw http.ResponseWriter, _ *http.Request) {
		site.send(rw, map[string]any{"client_name": "\u202eBa\u200bnk"})
	}
	w.code(site.address())
	client, err := w.db.Keys().OAuthClient(t.Context(), site.address())
	check(t, err)
	if got, want := client.Name, "Bank"; got != want {
		t.Errorf("name: got %q, want %q", got, want)
	}
}

func TestFetch_refuses_addresses(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ address, want string }{
		"that cannot be parsed": {"https://client.example:https/client.json", "its address is not valid"},
		"at another port":       {"https://client.example:8443/client.json", "it must be at port 443"},
	} {
		_, _, err := newDocuments().fetch(t.Context(), row.address)
		if err == nil || !strings.HasSuffix(err.Error(), row.want) {
			t.Errorf("%s: got %v, want %q", name, err, row.want)
		}
	}
}

func TestDocument_is_refused(t *testing.T) {
	t.Parallel()
	withField := func(name string, value any) func(*publisherSite) http.HandlerFunc {
		return func(p *publisherSite) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) { p.send(w, map[string]any{name: value}) }
		}
	}
	raw := func(kind, body string) func(*publisherSite) http.HandlerFunc {
		return func(*publisherSite) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", kind)
				fmt.Fprint(w, body)
			}
		}
	}
	for name, row := range map[string]struct {
		handler func(*publisherSite) http.HandlerFunc
		want    string
	}{
		"another client_id":  {withField("client_id", "https://client.example/client.json"), "client_id must be its own address"},
		"no name":            {withField("client_name", ""), "client_name must be"},
		"an invisible name":  {withField("client_name", "\u200b\u202e"), "client_name must be"},
		"control characters": {withField("client_name", "a\nb"), "client_name must be"},
		"a secret":           {withField("client_secret", "hush"), "client_secret"},
		"a secret's method":  {withField("token_endpoint_auth_method", "client_secret_post"), "token_endpoint_auth_method must be none"},
		"only secrets' methods": {func(p *publisherSite) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) {
				p.send(w, map[string]any{"token_endpoint_auth_method": "private_key_jwt", "token_endpoint_auth_methods_supported": []string{"private_key_jwt"}})
			}
		}, "token_endpoint_auth_method must be none"},
		"another grant":    {withField("grant_types", []string{"client_credentials"}), "grant_types"},
		"another response": {withField("response_types", []string{"token"}), "response_types"},
		"no redirect URI":  {withField("redirect_uris", []string{"trainer://callback"}), "redirect_uris"},
		"a wrong type":     {withField("redirect_uris", callback), "redirect_uris"},
		"a web page":       {raw("text/html", "<html>"), "application/json"},
		"no type":          {raw("", "{}"), "application/json"},
		"no JSON":          {raw("application/json", "{"), "JSON object"},
		"too large":        {withField("logo_uri", strings.Repeat("x", maxDocument)), "bytes"},
		"an error":         {func(*publisherSite) http.HandlerFunc { return http.NotFound }, "status 404"},
		"a redirect": {func(p *publisherSite) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/client.json" {
					http.Redirect(w, r, "/elsewhere.json", http.StatusFound)
					return
				}
				p.send(w, nil)
			}
		}, "status 302"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, site := publish(t, nil)
			site.handler = row.handler(site)
			got := w.authorize(askingFor(site.address()))
			if got.status != http.StatusBadRequest || !strings.Contains(got.body, row.want) || got.header.Get("Location") != "" {
				t.Errorf("response: got %d %s, want a page with %q", got.status, got.body, row.want)
			}
			w.authorize(askingFor(site.address()))
			if got, want := site.asked.Load(), int32(2); got != want {
				t.Errorf("reads: got %d, want %d: what cannot be used is not kept", got, want)
			}
		})
	}
}

// Somebody who names an address learns nothing of the server's own network.
func TestDocument_is_read_from_public_addresses_only(t *testing.T) {
	t.Parallel()
	w, site := publish(t, nil)
	fresh := newDocuments()
	w.oauth.documents.permits, w.oauth.documents.ports = fresh.permits, nil
	port := site.URL[strings.LastIndexByte(site.URL, ':'):]
	for _, host := range []string{"127.0.0.1", "localhost", "[::1]", "0.0.0.0", "10.0.0.1"} {
		got := w.authorize(askingFor("https://" + host + port + "/client.json"))
		if got.status != http.StatusBadRequest || !strings.Contains(got.body, "could not be read") {
			t.Errorf("%s: got %d %s, want a page that says nothing more", host, got.status, got.body)
		}
	}
	w.oauth.documents.ports = fresh.ports
	if got := w.authorize(askingFor(site.address())); got.status != http.StatusBadRequest || !strings.Contains(got.body, "port 443") {
		t.Errorf("another port: got %d %s, want it refused", got.status, got.body)
	}
	if got := site.asked.Load(); got != 0 {
		t.Errorf("requests: got %d, want none", got)
	}
}

func TestDocument_is_read_for_people_who_are_signed_in_only(t *testing.T) {
	t.Parallel()
	w, site := publish(t, nil)
	got := w.page(w.stranger(), "/authorize?"+askingFor(site.address()).Encode())
	if got.status != http.StatusFound || w.location(got).Path != "/login" {
		t.Errorf("stranger: got %d to %q, want the sign-in page", got.status, got.header.Get("Location"))
	}
	w.form("/token", exchange(site.address(), "x"))
	w.form("/revoke", url.Values{"token": {"x"}, "client_id": {site.address()}})
	if got := site.asked.Load(); got != 0 {
		t.Errorf("reads: got %d, want none", got)
	}
}

func TestDocument_takes_bounded_time_and_tries(t *testing.T) {
	t.Parallel()
	for name, site := range map[string]http.HandlerFunc{
		"silent": func(_ http.ResponseWriter, r *http.Request) {
			<-r.Context().Done()
			panic(http.ErrAbortHandler) // a return would respond with 200
		},
		// Over TLS the server may answer between the client's notice that it closes the
		// connection and the end of the connection.
		"late": func(w http.ResponseWriter, r *http.Request) {
			<-r.Context().Done()
			http.NotFound(w, r)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, site := publish(t, site)
			w.oauth.documents.timeout = 50 * time.Millisecond
			w.oauth.documents.fetches = counter.NewAttempts(1, time.Hour)
			if got := w.authorize(askingFor(site.address())); got.status != http.StatusBadRequest || !strings.Contains(got.body, "could not be read") {
				t.Errorf("the first try: got %d %s, want a page", got.status, got.body)
			}
			got := w.authorize(askingFor(site.address()))
			if got.status != http.StatusTooManyRequests || got.header.Get("Retry-After") == "" {
				t.Errorf("the second try: got %d, want 429 with Retry-After", got.status)
			}
		})
	}
}

func TestIsDocumentAddress_requires_https_and_a_clean_path(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]bool{
		"https://client.example/client.json":                    true,
		"https://client.example/a/b?version=1":                  true,
		"https://client.example:8443/client.json":               true,
		"http://client.example/client.json":                     false,
		"https://client.example":                                false,
		"https://client.example/":                               false,
		"https://client.example/a/../b":                         false,
		"https://client.example/./b":                            false,
		"https://client.example/%2e%2e/b":                       false,
		"https://client.example/a#b":                            false,
		"https://me@client.example/a":                           false,
		"https:client.json":                                     false,
		"https://client.example/" + strings.Repeat("x", maxURI): false,
		"abcdef": false,
	} {
		if got := isDocumentAddress(id); got != want {
			t.Errorf("%s: got %v, want %v", id, got, want)
		}
	}
}

// A server without a way out cannot read documents: apps that see them offered would never register.
func TestDocuments_are_neither_offered_nor_read_when_they_are_off(t *testing.T) {
	t.Parallel()
	w, site := publish(t, nil)
	off := New(Options{DB: w.db, Keys: w.keys, Site: w.oauth.site, BaseURL: w.server.URL, NoDocuments: true})
	offered := true
	auto := New(Options{DB: w.db, Keys: w.keys, Site: w.oauth.site, BaseURL: w.server.URL, OffersDocuments: func() bool { return offered }})
	offers := func(s *Server) bool {
		response := httptest.NewRecorder()
		s.Handler(nil).ServeHTTP(response, httptest.NewRequestWithContext(t.Context(), http.MethodGet, serverMetadataPath, nil))
		var document authorizationServer
		check(t, json.Unmarshal(response.Body.Bytes(), &document))
		return document.ClientDocuments
	}
	if !offers(w.oauth) || offers(off) || !offers(auto) {
		t.Errorf("offered: got %v, off %v, auto %v, want all but off", offers(w.oauth), offers(off), offers(auto))
	}
	if offered = false; offers(auto) {
		t.Error("offered without a way out: got true, want false")
	}
	w.oauth.documents = nil
	if got := w.authorize(askingFor(site.address())); got.status != http.StatusBadRequest || site.asked.Load() != 0 {
		t.Errorf("authorize: got %d after %d reads, want 400 without one", got.status, site.asked.Load())
	}
}
