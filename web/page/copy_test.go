package page_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"portico/model"
)

func TestCopy_is_a_form_for_those_who_may(t *testing.T) {
	t.Parallel()
	p := open(t)
	ada := p.account("Ada")
	p.account("Grace")
	id := p.space(ada, "Cistern", "", model.Public)
	form := `<form method="post" action="/copy/` + id + `">`
	grace := p.signedIn("Grace")
	if strings.Contains(grace.get("/"+id).body, form) {
		t.Error("form without permission: got one, want none")
	}
	if got := grace.post("/copy/"+id, url.Values{}); got.status != http.StatusForbidden {
		t.Errorf("copy without permission: got %d, want 403", got.status)
	}
	wantText(t, p.signedIn("Ada").get("/"+id), form)
	check(t, ada.GraphQL(`mutation { updateSpace(input: {spaceId: "`+id+`", copiesAllowed: true}) { space { id } } }`, nil, nil))
	wantText(t, p.stranger().get("/"+id), form)
	if got := p.stranger().post("/copy/"+id, url.Values{}); !strings.HasPrefix(got.header.Get("Location"), "/login?next=%2Fcopy%2F") {
		t.Errorf("a stranger: got %d to %q, want to sign in", got.status, got.header.Get("Location"))
	}
	if got := grace.get("/copy/" + id); got.header.Get("Location") != "/"+id {
		t.Errorf("after signing in: got %q, want the space", got.header.Get("Location"))
	}
	got := grace.post("/copy/"+id, url.Values{})
	copied := got.header.Get("Location")
	if got.status != http.StatusSeeOther || copied == "/"+id || !model.IsSpaceID(strings.TrimPrefix(copied, "/")) {
		t.Fatalf("copy: got %d to %q, want the copy", got.status, copied)
	}
	wantText(t, grace.get(copied), `Remix of <a href="/`+id+`"><bdi>Cistern</bdi></a>`)
	check(t, ada.GraphQL(`mutation { updateSpacePrivacy(input: {spaceId: "`+id+`", privacy: PRIVATE}) { space { id } } }`, nil, nil))
	wantText(t, grace.get(copied), "Remix of a space that is no longer public")
	for _, path := range []string{"/copy/", "/copy/x", "/copy/99999999_x"} {
		if got := grace.post(path, url.Values{}); got.status != http.StatusNotFound {
			t.Errorf("%s: got %d, want 404", path, got.status)
		}
	}
}
