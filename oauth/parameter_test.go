package oauth

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func TestRefuseRepeated_names_the_first_known_parameter(t *testing.T) {
	t.Parallel()
	twice := []string{"a", "b"}
	for _, test := range []struct {
		parameters url.Values
		want       string
	}{
		{url.Values{"state": {"a"}, "resource": twice}, ""},
		{url.Values{"state": twice}, "state occurs more than once"},
		{url.Values{"unknown": twice, "state": twice, "scope": twice, "code": twice}, "code occurs more than once"},
		{url.Values{"\"ü\n": twice}, "A parameter occurs more than once"},
	} {
		got := ""
		if refused := refuseRepeated(test.parameters); refused != nil {
			got = refused.Description
		}
		if got != test.want {
			t.Errorf("%v: got %q, want %q", test.parameters, got, test.want)
		}
	}
}

func TestServer_names_a_repeated_parameter(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	client := w.register(callback)
	form := exchange(client, w.code(client))
	form.Add("code_verifier", "x")
	got := w.form("/token", form)
	if want := `"error_description":"code_verifier occurs more than once"`; got.status != http.StatusBadRequest || !strings.Contains(got.body, want) {
		t.Errorf("token: got %d %s, want %s", got.status, got.body, want)
	}
	query := askingFor(client)
	query.Add("scope", "a")
	query.Add("scope", "b")
	description := w.location(w.authorize(query)).Query().Get("error_description")
	if want := "scope occurs more than once"; description != want {
		t.Errorf("authorize: got %q, want %q", description, want)
	}
}
