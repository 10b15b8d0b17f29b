package rest

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"
)

func TestRouter_answers_under_both_prefixes_alike(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.space(w.alice, `{'title':'A'}`)
	for _, path := range []string{"/user/me", "/spaces", "/spaces/" + id, "/spaces/" + id + "/entities", "/files", "/jobs"} {
		got, want := w.call(w.alice, "GET", "/api/v1"+path, ""), w.call(w.alice, "GET", "/v1"+path, "")
		if got.status != 200 || got.body != want.body {
			t.Errorf("%s: got %d %s, want 200 %s", path, got.status, got.body, want.body)
		}
	}
}

func TestRouter_refuses_without_a_key_before_it_looks_at_anything(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, c := range []struct{ name, method, path, body string }{
		{"a route", "GET", "/v1/spaces", ""},
		{"no route", "GET", "/v1/nothing", ""},
		{"the prefix itself", "GET", "/v1", ""},
		{"a wrong method", "DELETE", "/v1/files", ""},
		{"a broken body", "POST", "/v1/spaces", "{"},
		{"a body that is too large", "POST", "/v1/spaces", strings.Repeat(" ", testMaxBody+1)},
		{"an unclean path", "GET", "//v1//spaces/", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, key := range []string{"", "wrong", "portico_wrong"} {
				got := w.call(account{key: key}, c.method, c.path, c.body)
				got.refused(401, "Invalid or expired API key")
			}
		})
	}
}

func TestRouter_challenges_with_the_resource_metadata(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, c := range []struct{ name, path, authorization, want string }{
		{"without a key", "/v1/spaces", "", `Bearer resource_metadata="BASE/.well-known/oauth-protected-resource/v1"`},
		{"under the other prefix", "/api/v1/spaces", "", `Bearer resource_metadata="BASE/.well-known/oauth-protected-resource/api/v1"`},
		{"with a wrong key", "/v1/spaces", "Bearer wrong", `Bearer resource_metadata="BASE/.well-known/oauth-protected-resource/v1", error="invalid_token"`},
		{"with another scheme", "/v1/spaces", "Basic YTpi", `Bearer resource_metadata="BASE/.well-known/oauth-protected-resource/v1", error="invalid_token"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			request, err := http.NewRequest("GET", w.base+c.path, nil)
			check(t, err)
			if c.authorization != "" {
				request.Header.Set("Authorization", c.authorization)
			}
			got := w.send(request).header.Get("WWW-Authenticate")
			if want := strings.ReplaceAll(c.want, "BASE", w.base); got != want {
				t.Errorf("WWW-Authenticate: got %s, want %s", got, want)
			}
		})
	}
}

func TestRouter_answers_404_where_there_is_no_route(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, path := range []string{
		"/v1", "/v1/", "/api/v1", "/v1/nothing", "/v1/Spaces", "/v1/spaces/a/b", "/v1/spaces/a/entities/b/c",
		"/v2/spaces", "/api/spaces", "/v1/jobs/a/b", "/v1/user", "/", "/v1/spaces%2Fa", "/v1%2Fspaces", "/%2Fv1/spaces",
	} {
		for _, method := range []string{"GET", "POST", "PROPFIND"} {
			w.call(w.alice, method, path, "").refused(404, "Endpoint not found")
		}
	}
}

func TestRouter_answers_405_with_what_the_path_allows(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for path, allow := range map[string]string{
		"/files":                  "DELETE, GET, HEAD, OPTIONS",
		"/files/upload":           "OPTIONS, POST",
		"/files/upload-complete":  "OPTIONS, POST",
		"/jobs":                   "GET, HEAD, OPTIONS",
		"/jobs/a":                 "GET, HEAD, OPTIONS",
		"/user/me":                "GET, HEAD, OPTIONS",
		"/user/create-space":      "OPTIONS, POST",
		"/avatars":                "GET, HEAD, OPTIONS",
		"/avatars/splat":          "OPTIONS, POST",
		"/avatars/a":              "DELETE, OPTIONS",
		"/spaces":                 "GET, HEAD, OPTIONS, POST",
		"/spaces/update-privacy":  "OPTIONS, POST",
		"/spaces/a":               "DELETE, GET, HEAD, OPTIONS, PUT",
		"/spaces/a/entities":      "GET, HEAD, OPTIONS, POST",
		"/spaces/a/entities/b":    "DELETE, GET, HEAD, OPTIONS, PUT",
		"/spaces/a/entities/b%2F": "DELETE, GET, HEAD, OPTIONS, PUT",
	} {
		for _, method := range []string{"GET", "POST", "PUT", "DELETE", "PATCH", "PROPFIND"} {
			if strings.Contains(allow, method) {
				continue
			}
			got := w.call(w.alice, method, "/v1"+path, "")
			got.refused(405, "Method not allowed")
			if got := got.header.Get("Allow"); got != allow {
				t.Errorf("%s %s: Allow: got %s, want %s", method, path, got, allow)
			}
		}
	}
}

func TestRouter_answers_HEAD_like_GET_without_the_body(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, path := range []string{"/v1/user/me", "/v1/spaces/none"} {
		head, get := w.call(w.alice, "HEAD", path, ""), w.call(w.alice, "GET", path, "")
		if head.status != get.status || head.body != "" {
			t.Errorf("HEAD %s: got %d %q, want %d and no body", path, head.status, head.body, get.status)
		}
		if got, want := head.header.Get("Content-Length"), get.header.Get("Content-Length"); got != want {
			t.Errorf("HEAD %s: Content-Length: got %s, want %s", path, got, want)
		}
	}
}

func TestRouter_stands_under_another_chi_router(t *testing.T) {
	t.Parallel()
	// What a router that mounts ours leaves in the context must not hide the path: ours uses the
	// whole path.
	outer := chi.NewRouter()
	outer.Mount("/v1", (&api{}).router())
	got := httptest.NewRecorder()
	outer.ServeHTTP(got, httptest.NewRequest("PATCH", "/v1/spaces/a", nil))
	if got, want := got.Code, 405; got != want {
		t.Errorf("status: got %d, want %d", got, want)
	}
	if got, want := got.Header().Get("Allow"), "DELETE, GET, HEAD, OPTIONS, PUT"; got != want {
		t.Errorf("Allow: got %q, want %q", got, want)
	}
}
