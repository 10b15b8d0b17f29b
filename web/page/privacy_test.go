package page_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"portico/model"
)

// secret is in the title, the description and an entity of each space of the test.
const secret = "Heliotrope"

// The test looks at spaces of each privacy at every address, as a stranger, as another
// person and as the owner.
func TestSpace_is_hidden_from_callers_who_may_not_see_it(t *testing.T) {
	t.Parallel()
	p := open(t)
	owner := p.account("Olga")
	p.account("Omar")
	ids := map[model.Privacy]string{}
	for _, privacy := range []model.Privacy{model.Public, model.LinkOnly, model.Private} {
		id := p.space(owner, secret+" title", secret+" description", privacy)
		p.entity(owner, id, "DynamicGate", map[string]any{
			"title": secret + " gate", "link": "https://example.com/" + secret,
			"dynamicGate": map[string]any{"position": map[string]int{"x": 0, "y": 0, "z": 0}, "rotation": map[string]int{"x": 0, "y": 0, "z": 0}},
		})
		ids[privacy] = id
	}
	visitors := map[string]visitor{
		"stranger": p.stranger(), "other": p.signedIn("Omar"), "owner": p.signedIn("Olga"),
	}
	for _, row := range []struct {
		address string
		// open lists who sees each space at the address, and closed the status for all
		// others; 0 means that the page is there and does not show the space.
		open   map[model.Privacy]string
		closed int
	}{
		{"/ID", map[model.Privacy]string{model.Public: "stranger other owner", model.LinkOnly: "stranger other owner", model.Private: "owner"}, 403},
		{"//ID/?x=y", map[model.Privacy]string{model.Public: "stranger other owner", model.LinkOnly: "stranger other owner", model.Private: "owner"}, 403},
		{"/embed/ID", map[model.Privacy]string{model.Public: "stranger other owner", model.LinkOnly: "stranger other owner"}, 403},
		{"/oembed?url=BASE%2FID", map[model.Privacy]string{model.Public: "stranger other owner", model.LinkOnly: "stranger other owner"}, 401},
		{"/oembed?url=BASE%2Fembed%2FID", map[model.Privacy]string{model.Public: "stranger other owner", model.LinkOnly: "stranger other owner"}, 401},
		{"/", map[model.Privacy]string{model.Public: "stranger other owner"}, 0},
		{"/?q=" + secret, map[model.Privacy]string{model.Public: "stranger other owner"}, 0},
		{"/?order=visits", map[model.Privacy]string{model.Public: "stranger other owner"}, 0},
		{"/u/" + owner.ID, map[model.Privacy]string{model.Public: "stranger other owner"}, 0},
		{"/sitemap.xml", map[model.Privacy]string{model.Public: "stranger other owner"}, 0},
		{"/sitemap/0.xml", map[model.Privacy]string{model.Public: "stranger other owner"}, 0},
	} {
		for privacy, id := range ids {
			for who, b := range visitors {
				path := strings.NewReplacer("BASE", url.QueryEscape(p.BaseURL()), "ID", id).Replace(row.address)
				got := b.get(path)
				sees := strings.Contains(row.open[privacy], who)
				switch {
				case sees || row.closed == 0:
					if got.status != http.StatusOK || strings.Contains(got.body, id) != sees {
						t.Errorf("%s for %s, %s: got %d, shown %t, want 200, %t", path, who, privacy, got.status, strings.Contains(got.body, id), sees)
					}
				case got.status != row.closed || strings.Contains(got.body, secret) || strings.Contains(got.body, "Olga"):
					t.Errorf("%s for %s, %s: got %d and\n%s\nwant %d and nothing of the space", path, who, privacy, got.status, got.body, row.closed)
				}
				if !sees && strings.Contains(got.body, "/"+id) && !strings.Contains(path, id) {
					t.Errorf("%s for %s: got the address of a %s space", path, who, privacy)
				}
			}
		}
	}
}
