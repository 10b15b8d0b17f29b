package plugin_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"portico/web/plugin"
)

// A row has the address of a module and the source that the policy allows.
func TestFrame_allows_only_the_file_of_the_module(t *testing.T) {
	t.Parallel()
	const files = "https://files.example"
	frame, err := plugin.New("https://app.example/portico", []string{files})
	if err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string]string{
		files + "/1/a.mjs":                              files + "/1/a.mjs",
		files + "/1/a.mjs?signature=x;y":                files + "/1/a.mjs",
		files + "/1/a;b,c%20d.mjs":                      files + "/1/a%3Bb%2Cc%20d.mjs",
		files + "/1/客.MJS":                              files + "/1/%E5%AE%A2.MJS",
		"https://app.example/files/a.mjs":               "https://app.example/files/a.mjs " + files + "/files/a.mjs",
		files + "/1/a.js":                               "",
		files + "/1/api_uploads/x7_clock/index.mjs":     files + "/1/api_uploads/x7_clock/",
		files + "/~1~sig/1/api_uploads/x7_/index.mjs":   files + "/~1~sig/1/api_uploads/x7_/",
		files + "/1/api_uploads/x7_clock/lib/index.mjs": files + "/1/api_uploads/x7_clock/lib/index.mjs",
		files + "/1/api_uploads/x7_clock/other.mjs":     files + "/1/api_uploads/x7_clock/other.mjs",
		files + "/1/api_uploads/x7_index.mjs":           files + "/1/api_uploads/x7_index.mjs",
		files + "/1/api_uploads/index.mjs":              files + "/1/api_uploads/index.mjs",
		files + "/1/index.mjs":                          files + "/1/index.mjs",
		files + "/1/a.mjs/x":                            "",
		"https://other.example/a.mjs":                   "",
		"http://files.example/a.mjs":                    "",
		"https://u@files.example/a.mjs":                 "",
		"https://files.example:444/a.mjs":               "",
		"data:text/javascript,x.mjs":                    "",
		"blob:https://files.example/a.mjs":              "",
		"'unsafe-inline' " + files + "/a.mjs":           "",
		files + "/a.mjs; script-src *":                  "",
		"":                                              "",
		files + "/x y.mjs":                              files + "/x%20y.mjs",
		files + "/\"><script>alert(1)</a.mjs":           files + "/%22%3E%3Cscript%3Ealert%281%29%3C/a.mjs",
		"//files.example/a.mjs":                         "",
		files + "/*.mjs":                                files + "/*.mjs",
		files + "/%3B%20script-src%20%2A/a.mjs":         files + "/%3B%20script-src%20%2A/a.mjs",
	} {
		got := httptest.NewRecorder()
		frame.ServeHTTP(got, httptest.NewRequest(http.MethodGet, plugin.Path+"?"+url.Values{"module": {address}}.Encode(), nil))
		policy := got.Header().Get("Content-Security-Policy")
		if want == "" {
			if got.Code != http.StatusBadRequest || policy != "" {
				t.Errorf("%s: got %d and the policy %q, want 400", address, got.Code, policy)
			}
			continue
		}
		if got.Code != http.StatusOK || !strings.Contains(policy, "' "+want+"; worker-src blob:;") ||
			!strings.HasPrefix(policy, "sandbox allow-scripts; default-src 'none'; script-src 'sha256-") || strings.Contains(policy, "unsafe") {
			t.Errorf("%s: got %d and the policy %q, want it to allow %s alone", address, got.Code, policy, want)
		}
		if body := got.Body.String(); !strings.Contains(body, `data-page="https://app.example"`) || strings.Contains(body, "a.mjs") {
			t.Errorf("%s: got the page\n%s\nwant the origin of pages, and nothing of the request", address, body)
		}
	}
	got := httptest.NewRecorder()
	frame.ServeHTTP(got, httptest.NewRequest(http.MethodPost, plugin.Path, nil))
	if got.Code != http.StatusMethodNotAllowed {
		t.Errorf("POST: got %d, want 405", got.Code)
	}
}

// TestFrame_allows_a_redirect_to_the_bucket checks the policy for a server that redirects the
// addresses of files to a private bucket.
func TestFrame_allows_a_redirect_to_the_bucket(t *testing.T) {
	t.Parallel()
	frame, err := plugin.New("https://app.example", []string{"https://files.example", "https://bucket.example"})
	if err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string]string{
		"https://files.example/files/1/a.mjs": "https://files.example/files/1/a.mjs https://bucket.example/files/1/a.mjs",
		"https://bucket.example/1/a.mjs":      "https://bucket.example/1/a.mjs https://files.example/1/a.mjs",
	} {
		got := httptest.NewRecorder()
		frame.ServeHTTP(got, httptest.NewRequest(http.MethodGet, plugin.Path+"?"+url.Values{"module": {address}}.Encode(), nil))
		if policy := got.Header().Get("Content-Security-Policy"); !strings.Contains(policy, "' "+want+"; worker-src blob:;") {
			t.Errorf("%s: got the policy %q, want it to allow %s", address, policy, want)
		}
	}
}
