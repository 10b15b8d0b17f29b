package page_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"portico/internal/testkit/api"
	"portico/model"
)

// name gives the account and the space names in addresses. An empty slug names the account alone.
func (p pageServer) name(owner *api.Client, handle, space, slug string) {
	p.t.Helper()
	check(p.t, owner.GraphQL(`mutation($handle: String) { updateHandle(input: {handle: $handle}) { user { handle } } }`,
		map[string]any{"handle": handle}, nil))
	if slug != "" {
		check(p.t, owner.GraphQL(`mutation($id: ID!, $slug: String) { updateSlug(input: {spaceId: $id, slug: $slug}) { space { namedUrl } } }`,
			map[string]any{"id": space, "slug": slug}, nil))
	}
}

func TestNames_lead_to_the_pages_of_accounts_and_spaces(t *testing.T) {
	t.Parallel()
	p := open(t)
	ada := p.account("Ada")
	id := p.space(ada, "Cistern", "", model.Public)
	p.name(ada, "ada", id, "cistern")
	b := p.stranger()
	canonical := func(path string) string { return `<link rel="canonical" href="` + p.BaseURL() + path + `">` }
	for path, want := range map[string]string{
		"/@ada": canonical("/@ada"), "/u/" + ada.ID: canonical("/@ada"),
		"/@ada/cistern": canonical("/@ada/cistern"), "/" + id: canonical("/@ada/cistern"), "//@ada//cistern/": canonical("/@ada/cistern"),
		"/sitemap.xml": "<loc>" + p.BaseURL() + "/@ada/cistern</loc>", "/%40ada": canonical("/@ada"),
	} {
		wantText(t, b.get(path), want)
	}
	wantText(t, b.get("/@ada/cistern"), `data-space-id="`+id+`"`)
	var embed embedding
	decode(t, b.get("/oembed?url="+url.QueryEscape(p.BaseURL()+"/@Ada/cistern?lang=de")), &embed)
	if embed.Title != "Cistern" || embed.AuthorURL != p.BaseURL()+"/@ada" || !strings.Contains(embed.HTML, "/embed/"+id) {
		t.Errorf("oEmbed: got %+v, want the space with its id in the frame", embed)
	}

	p.name(ada, "countess", id, "old-cistern")
	for path, want := range map[string]string{
		"/@ada": "/@countess", "/@ADA?lang=de": "/@countess?lang=de", "/@ada/cistern": "/@countess/old-cistern", "/@countess/cistern": "/@countess/old-cistern",
		"/@Countess/Old-Cistern":            "/@countess/old-cistern",
		"/@ada?next=//evil.example&lang=de": "/@countess?lang=de&next=%2F%2Fevil.example",
	} {
		got := b.get(path)
		if got.status != http.StatusFound || got.header.Get("Location") != want || got.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: got %d to %q, %q, want %q", path, got.status, got.header.Get("Location"), got.header.Get("Cache-Control"), want)
		}
	}
	check(t, ada.GraphQL(`mutation { updateHandle(input: {handle: null}) { user { handle } } }`, nil, nil))
	for path, want := range map[string]string{"/@countess": "/u/" + ada.ID, "/@ada/cistern": "/" + id} {
		if got := b.get(path); got.header.Get("Location") != want {
			t.Errorf("%s without a name: got %q, want %q", path, got.header.Get("Location"), want)
		}
	}
	wantText(t, b.get("/"+id), canonical("/"+id))
}

// A name is easy to guess: it tells strangers nothing of a space that they do not find anyway.
func TestNames_open_Public_spaces_to_strangers_and_others_to_nobody(t *testing.T) {
	t.Parallel()
	p := open(t)
	ada := p.account("Ada")
	p.account("Grace")
	p.name(ada, "ada", "", "")
	for _, privacy := range []model.Privacy{model.Private, model.LinkOnly} {
		slug := strings.ReplaceAll(strings.ToLower(string(privacy)), " ", "-")
		id := p.space(ada, "Secret", "", privacy)
		p.name(ada, "ada", id, slug)
		p.name(ada, "ada", id, slug+"-2")
		for who, b := range map[string]visitor{"a stranger": p.stranger(), "another account": p.signedIn("Grace")} {
			unknown := b.get("/@ada/unknown")
			for _, path := range []string{"/@ada/" + slug, "/@ada/" + slug + "-2"} {
				got := b.get(path)
				if got.status != http.StatusNotFound || strings.ReplaceAll(got.body, path, "/@ada/unknown") != unknown.body && got.status != unknown.status {
					t.Errorf("%s, %s: got %d, want the same as for an unknown space", who, path, got.status)
				}
				if oembed := b.get("/oembed?url=" + url.QueryEscape(p.BaseURL()+path)); oembed.status != http.StatusNotFound {
					t.Errorf("oEmbed of %s: got %d, want 404", path, oembed.status)
				}
			}
		}
		wantText(t, p.signedIn("Ada").get("/@ada/"+slug+"-2"), "Secret")
	}
	for _, path := range []string{"/@grace", "/@admin", "/@ada/x/y", "/@", "/@/x"} {
		if got := p.stranger().get(path); got.status != http.StatusNotFound {
			t.Errorf("%s: got %d, want 404", path, got.status)
		}
	}
}

func TestUpdateHandle_says_what_is_wrong_with_a_name(t *testing.T) {
	t.Parallel()
	p := open(t)
	ada, grace := p.account("Ada"), p.account("Grace")
	p.name(ada, "ada", "", "")
	for handle, want := range map[string]string{
		"ADA": "handle is taken", "api": "handle is reserved", "g": "handle must have 3 to 30", "grаce": "handle must have 3 to 30",
	} {
		err := grace.GraphQL(`mutation($handle: String) { updateHandle(input: {handle: $handle}) { user { handle } } }`, map[string]any{"handle": handle}, nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", handle, err, want)
		}
	}
}
