package main

import (
	"net/http"
	"strings"
	"testing"

	"portico/model"
	"portico/server"
)

// newCaller adds an account to a program in this process.
func newCaller(t *testing.T, p *server.Program, email string) *client {
	t.Helper()
	in := model.CreateUser{Email: email, Plan: model.PlanPro, Quota: 1 << 20}
	check(t, in.Validate())
	user, err := p.DB.CreateUser(t.Context(), in)
	check(t, err)
	key, err := p.Keys.Generate(t.Context(), user)
	check(t, err)
	return &client{t: t, url: p.BaseURL(), id: user.ID, key: key}
}

// get asks for an address and follows no redirect.
func (c *client) get(address string, header http.Header) answer {
	c.t.Helper()
	direct := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	request, err := http.NewRequestWithContext(c.t.Context(), http.MethodGet, address, http.NoBody)
	check(c.t, err)
	request.Header = header.Clone()
	if header == nil {
		request.Header = http.Header{}
	}
	response, err := direct.Do(request)
	check(c.t, err)
	check(c.t, response.Body.Close())
	return answer{t: c.t, status: response.StatusCode, header: response.Header}
}

// TestSites has a default server, whose files have an origin of their own.
func TestSites(t *testing.T) {
	t.Parallel()
	p := runProgram(t)
	c := newCaller(t, p, "maker@example.com")
	files := strings.TrimSuffix(p.FilesURL(), "/files")
	if files != strings.Replace(p.BaseURL(), "127.0.0.1", "localhost", 1) {
		t.Fatalf("origin of the files: got %q, want localhost beside %s", files, p.BaseURL())
	}
	address := c.put("plugin.mjs", text("export default 1"))
	if want := files + "/files/" + c.id + "/"; !strings.HasPrefix(address, want) {
		t.Fatalf("upload address: got %s, want one below %s", address, want)
	}
	c.call("POST", "/v1/files/upload-complete", completion(address)).want(200, nil)

	t.Run("serves a script there that pages of any origin may import", func(t *testing.T) {
		t.Parallel()
		got := c.get(address, http.Header{"Sec-Fetch-Site": {"cross-site"}})
		got.want(200, nil)
		for name, want := range map[string]string{
			"Content-Type": "text/javascript", "Access-Control-Allow-Origin": "*", "X-Content-Type-Options": "nosniff",
			"Content-Security-Policy": "default-src 'none'; sandbox",
		} {
			if got.header.Get(name) != want {
				t.Errorf("%s: got %q, want %q", name, got.header.Get(name), want)
			}
		}
	})
	t.Run("serves no file on the origin of the application", func(t *testing.T) {
		t.Parallel()
		got := c.get(p.BaseURL()+pathOf(t, address), nil)
		if got.status != http.StatusPermanentRedirect || got.header.Get("Location") != address {
			t.Errorf("got %d to %q, want 308 to %s", got.status, got.header.Get("Location"), address)
		}
	})
	t.Run("has no page of the application there", func(t *testing.T) {
		t.Parallel()
		for _, page := range []string{"/", "/login", "/signup", "/account", "/account/key", "/authorize", "/api/authorize", "/playground", "/pages/style.css"} {
			if got := c.get(files+page, nil); got.status != 404 && got.status != 401 || got.header.Get("Set-Cookie") != "" {
				t.Errorf("GET %s: got %d, cookie %q, want 404 and none", page, got.status, got.header.Get("Set-Cookie"))
			}
			if page == "/login" {
				c.get(p.BaseURL()+page, nil).want(200, nil)
			}
		}
	})
	t.Run("answers who has a key, and probes", func(t *testing.T) {
		t.Parallel()
		c.get(files+"/v1/user/me", http.Header{"Authorization": {"Bearer " + c.key}}).want(200, nil)
		c.get(files+"/graphql?query={viewer{id}}", http.Header{"Authorization": {"Bearer " + c.key}, "Accept": {"*/*"}}).want(200, nil)
		c.get(files+"/readyz", nil).want(200, nil)
	})
	t.Run("names its requests in the metrics", func(t *testing.T) {
		t.Parallel()
		c.get(address, nil).want(200, nil)
		read := c.send("GET", p.BaseURL()+"/metrics", nil, http.NoBody, 0)
		if want := `portico_http_requests_total{code="200",method="GET",route="/files/*"}`; !strings.Contains(string(read.body), want) {
			t.Errorf("metrics: got none with %s", want)
		}
	})
}
