package main

import (
	"net/http"
	"strings"
	"testing"

	"portico/internal/testkit/api"
	"portico/internal/testkit/world"
	"portico/model"
)

// newCaller adds an account to a program in this process.
func newCaller(t *testing.T, p world.World, email string) *user {
	t.Helper()
	return &user{p.NewClient(t, model.CreateUser{Email: email, Plan: model.PlanPro, Quota: 1 << 20})}
}

// get asks for an address and follows no redirect.
func (c *user) get(address string, header http.Header) api.Response {
	c.T.Helper()
	direct := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	request, err := http.NewRequestWithContext(c.T.Context(), http.MethodGet, address, http.NoBody)
	check(c.T, err)
	request.Header = header.Clone()
	if header == nil {
		request.Header = http.Header{}
	}
	response, err := direct.Do(request)
	check(c.T, err)
	check(c.T, response.Body.Close())
	return api.Response{T: c.T, Status: response.StatusCode, Header: response.Header}
}

// TestSites has a default server, whose files have an origin of their own.
func TestSites(t *testing.T) {
	t.Parallel()
	p := world.Start(t)
	c := newCaller(t, p, "maker@example.com")
	files := strings.TrimSuffix(p.FilesURL(), "/files")
	if files != strings.Replace(p.BaseURL(), "127.0.0.1", "localhost", 1) {
		t.Fatalf("origin of the files: got %q, want localhost beside %s", files, p.BaseURL())
	}
	address := c.Put("plugin.mjs", api.Text("export default 1"))
	if want := files + "/files/" + c.ID + "/"; !strings.HasPrefix(address, want) {
		t.Fatalf("upload address: got %s, want one below %s", address, want)
	}
	c.Call("POST", "/v1/files/upload-complete", api.Completion(address)).Want(200, nil)

	t.Run("serves a script there that pages of any origin may import", func(t *testing.T) {
		t.Parallel()
		got := c.get(address, http.Header{"Sec-Fetch-Site": {"cross-site"}})
		got.Want(200, nil)
		for name, want := range map[string]string{
			"Content-Type": "text/javascript", "Access-Control-Allow-Origin": "*", "X-Content-Type-Options": "nosniff",
			"Content-Security-Policy": "default-src 'none'; sandbox",
		} {
			if got.Header.Get(name) != want {
				t.Errorf("%s: got %q, want %q", name, got.Header.Get(name), want)
			}
		}
	})
	t.Run("serves no file on the origin of the application", func(t *testing.T) {
		t.Parallel()
		got := c.get(p.BaseURL()+pathOf(t, address), nil)
		if got.Status != http.StatusPermanentRedirect || got.Header.Get("Location") != address {
			t.Errorf("got %d to %q, want 308 to %s", got.Status, got.Header.Get("Location"), address)
		}
	})
	t.Run("has no page of the application there", func(t *testing.T) {
		t.Parallel()
		for _, page := range []string{"/", "/login", "/signup", "/account", "/account/key", "/authorize", "/api/authorize", "/playground", "/pages/style.css"} {
			if got := c.get(files+page, nil); got.Status != 404 && got.Status != 401 || got.Header.Get("Set-Cookie") != "" {
				t.Errorf("GET %s: got %d, cookie %q, want 404 and none", page, got.Status, got.Header.Get("Set-Cookie"))
			}
			if page == "/login" {
				c.get(p.BaseURL()+page, nil).Want(200, nil)
			}
		}
	})
	t.Run("answers who has a key, and probes", func(t *testing.T) {
		t.Parallel()
		c.get(files+"/v1/user/me", http.Header{"Authorization": {"Bearer " + c.Key}}).Want(200, nil)
		c.get(files+"/graphql?query={viewer{id}}", http.Header{"Authorization": {"Bearer " + c.Key}, "Accept": {"*/*"}}).Want(200, nil)
		c.get(files+"/readyz", nil).Want(200, nil)
	})
	t.Run("names its requests in the metrics", func(t *testing.T) {
		t.Parallel()
		c.get(address, nil).Want(200, nil)
		read := c.Send("GET", p.BaseURL()+"/metrics", nil, http.NoBody, 0)
		if want := `portico_http_requests_total{code="200",method="GET",route="/files/*"}`; !strings.Contains(string(read.Body), want) {
			t.Errorf("metrics: got none with %s", want)
		}
	})
}
