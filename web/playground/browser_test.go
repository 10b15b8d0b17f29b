package playground_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"portico/internal/testkit/browser"
	"portico/web/playground"
)

// TestPage_in_a_browser looks at the page in Chromium, light, dark and on a phone:
// axe finds nothing, Tab leaves the editors, and the response is on the screen.
func TestPage_in_a_browser(t *testing.T) {
	t.Parallel()
	scripts := browser.New(t, browser.Options{Name: "playground", Scripts: "browser"})
	out, err := scripts.Run(t.Context(), browser.Command{Script: "look.mjs", Args: []string{scripts.Chromium, serveResponses(t)}})
	if err != nil || out.Text() != "looked\n" {
		t.Errorf("page: got %v and\n%swant nothing that is wrong", err, out.Text())
	}
}

// serveResponses serves the page above a GraphQL that gives every operation one response,
// and returns the page's address.
func serveResponses(t *testing.T) string {
	t.Helper()
	page, err := playground.New(playground.Options{NoIntrospection: true})
	check(t, err)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/graphql" {
			page.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"data":{"viewer":{"id":"the-answer","used":1,"pro":true,"name":null}}}`)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/playground"
}
