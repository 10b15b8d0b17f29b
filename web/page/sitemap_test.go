package page_test

import (
	"encoding/xml"
	"net/http"
	"strings"
	"testing"

	"portico/internal/testkit/postgres"
	"portico/model"
)

type sitemap struct {
	Pages    []string `xml:"url>loc"`
	Sitemaps []string `xml:"sitemap>loc"`
}

func (b visitor) sitemap(path string) sitemap {
	b.p.t.Helper()
	got := b.wantStatus(b.get(path), http.StatusOK)
	if kind := got.header.Get("Content-Type"); kind != "application/xml; charset=utf-8" {
		b.p.t.Errorf("%s: got %q, want XML", path, kind)
	}
	var read sitemap
	check(b.p.t, xml.Unmarshal([]byte(got.body), &read))
	return read
}

func TestSitemap_lists_public_spaces(t *testing.T) {
	t.Parallel()
	p := open(t)
	if got := p.stranger().sitemap("/sitemap.xml"); len(got.Pages)+len(got.Sitemaps) != 0 {
		t.Errorf("sitemap of a new server: got %v, want nothing", got)
	}
	id := p.space(p.account("Ada"), "Space", "", model.Public)
	if got := p.stranger().sitemap("/sitemap.xml"); len(got.Pages) != 1 || got.Pages[0] != p.BaseURL()+"/"+id {
		t.Errorf("sitemap: got %v, want the space", got)
	}
	robots := p.stranger().get("/robots.txt")
	wantText(t, robots, "User-agent: *", "Sitemap: "+p.BaseURL()+"/sitemap.xml\n")
	if strings.Contains(robots.body, "Disallow: /\n") {
		t.Errorf("robots.txt: got\n%s\nwant pages that may be read", robots.body)
	}
}

// A sitemap has at most 50,000 addresses, so more spaces are in several.
func TestSitemap_of_many_spaces_is_an_index(t *testing.T) {
	t.Parallel()
	p := open(t)
	ada := p.account("Ada")
	const spaces = 50_001
	admin := postgres.Connect(t, postgres.AdminURL(t, p.Config.DatabaseURL))
	_, err := admin.ExecContext(t.Context(), `
		ALTER TABLE spaces DISABLE TRIGGER USER; -- which would count the bytes of each row
		INSERT INTO spaces (id, owner_id, title, description, type, privacy)
			SELECT '`+ada.ID+`_' || n, '`+ada.ID+`', '', '', 'infinite', 'Public' FROM generate_series(1, 50001) n;
		ALTER TABLE spaces ENABLE TRIGGER USER`)
	check(t, err)
	p.space(ada, "Mine", "", model.Private)
	b := p.stranger()
	index := b.sitemap("/sitemap.xml")
	if len(index.Sitemaps) != 2 || len(index.Pages) != 0 {
		t.Fatalf("index: got %d sitemaps and %d pages, want 2 and 0", len(index.Sitemaps), len(index.Pages))
	}
	listed := map[string]bool{}
	for i, want := range []int{50_000, 1} {
		part := b.sitemap(strings.TrimPrefix(index.Sitemaps[i], p.BaseURL()))
		if len(part.Pages) != want {
			t.Errorf("sitemap %d: got %d pages, want %d", i, len(part.Pages), want)
		}
		for _, page := range part.Pages {
			listed[page] = true
		}
	}
	if len(listed) != spaces {
		t.Errorf("pages: got %d different ones, want %d", len(listed), spaces)
	}
}
