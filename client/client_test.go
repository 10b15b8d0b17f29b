package client

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Some proxies refuse a GET or DELETE with a body.
func TestRemote_sends_a_body_only_if_there_is_one(t *testing.T) {
	t.Parallel()
	var got string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Errorf("read the body: %v", err)
		}
		got = r.Header.Get("Content-Type") + " " + string(body)
		_, _ = io.WriteString(w, `{}`)
	}))
	t.Cleanup(server.Close)
	r := &Client{Server: server.URL, Key: "k"}
	for _, test := range []struct {
		method string
		body   any
		want   string
	}{
		{http.MethodGet, nil, " "},
		{http.MethodDelete, nil, " "},
		{http.MethodPost, map[string]int{"n": 1}, `application/json {"n":1}`},
	} {
		check(t, r.Call(t.Context(), test.method, "/", test.body, nil))
		if got != test.want {
			t.Errorf("%s: got %q, want %q", test.method, got, test.want)
		}
	}
}

// The response to a change set of many files has more than a megabyte.
func TestRemote_reads_large_responses(t *testing.T) {
	t.Parallel()
	size := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"data":"`+strings.Repeat("x", size)+`"}`)
	}))
	t.Cleanup(server.Close)
	r := &Client{Server: server.URL, Key: "k"}
	var got string
	size = 3 << 20
	check(t, r.Call(t.Context(), http.MethodGet, "/", nil, &got))
	if len(got) != size {
		t.Errorf("response: got %d bytes, want %d", len(got), size)
	}
	size = maxResponse
	if err := r.Call(t.Context(), http.MethodGet, "/", nil, &got); err == nil || !strings.Contains(err.Error(), "more than") {
		t.Errorf("response over the limit: got %v, want an error that says so", err)
	}
}

// A server behind a proxy that requires https redirects, and so does a proxy that wants a sign-in.
func TestRemote_names_the_address_of_a_redirect_and_sends_it_no_key(t *testing.T) {
	t.Parallel()
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("the other server: got %s %s with %q, want no request", r.Method, r.URL, r.Header.Get("Authorization"))
	}))
	t.Cleanup(other.Close)
	for _, test := range []struct{ name, base, location, want string }{
		{"another address", "", other.URL + "/v1/files?limit=1", "the server has moved to " + other.URL + ": add --server " + other.URL},
		{"another folder", "/old", other.URL + "/new/v1/files", "the server has moved to " + other.URL + "/new: add --server " + other.URL + "/new"},
		{"another path", "", other.URL + "/login", "the server redirects to " + other.URL + "/login: check the address of --server"},
		{"a path of the same server", "", "/v1/files", "check the address of --server"},
		{"no address", "", "", "301 Moved Permanently"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if test.location != "" {
					w.Header().Set("Location", test.location)
				}
				w.WriteHeader(http.StatusMovedPermanently)
			}))
			t.Cleanup(server.Close)
			r := &Client{Server: server.URL + test.base, Key: "k"}
			err := r.Call(t.Context(), http.MethodGet, "/v1/files", nil, nil)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}
