package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func TestField_DescribedBy(t *testing.T) {
	t.Parallel()
	for want, f := range map[string]field{
		"": {Name: "x"}, "x-hint": {Name: "x", Hint: "h"}, "x-error": {Name: "x", Error: "e"}, "x-error x-hint": {Name: "x", Hint: "h", Error: "e"},
	} {
		if got := f.DescribedBy(); got != want {
			t.Errorf("DescribedBy: got %q, want %q", got, want)
		}
	}
}

func TestWithFocus_focuses_the_first_error(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		errors []string
		want   int
	}{
		{[]string{"", "", ""}, 0}, {[]string{"x", "", "x"}, 0}, {[]string{"", "x", "x"}, 1}, {[]string{"", "", "x"}, 2},
	} {
		var fields []field
		for _, problem := range row.errors {
			fields = append(fields, field{Error: problem})
		}
		for i, f := range withFocus(fields) {
			if f.Autofocus != (i == row.want) {
				t.Errorf("errors %q: field %d: got autofocus %v, want it at %d only", row.errors, i, f.Autofocus, row.want)
			}
		}
	}
}

// Whatever is sent comes back as text.
func TestForms_escape_what_was_sent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	const hostile = `"><script>alert(1)</script>`
	for _, path := range []string{"/login", "/signup"} {
		got := w.browser().post(path, url.Values{"email": {hostile}, "name": {hostile}, "password": {"x"}, "next": {"/a?" + hostile}})
		if strings.Contains(got.body, "<script>") {
			t.Errorf("%s: got a script in\n%s", path, got.body)
		}
		wantText(t, got, "&gt;&lt;script&gt;")
	}
}

func TestForms_refuse_what_cannot_be_read(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	b := w.browser()
	for name, body := range map[string]string{"too_large": "email=" + strings.Repeat("x", maxForm), "broken": "email=%zz"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.server.URL+"/login", strings.NewReader(body))
		check(t, err)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		response, err := b.client.Do(r)
		check(t, err)
		check(t, response.Body.Close())
		if got, want := response.StatusCode, http.StatusBadRequest; got != want {
			t.Errorf("%s: got %d, want %d", name, got, want)
		}
	}
}
