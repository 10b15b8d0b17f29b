package page_test

import (
	"encoding/json"
	"net/url"
	"os"
	"strings"
	"testing"

	"portico/internal/testkit/browser"
)

// minLighthouse is the lowest score of a page in each category, of 100.
const minLighthouse = 95

// scored is a page that Lighthouse scores.
type scored struct {
	Name       string   `json:"name"`
	Address    string   `json:"address"`
	Categories []string `json:"categories"`
	Cookie     string   `json:"cookie,omitempty"`
}

// TestLighthouse scores pages with Lighthouse where LIGHTHOUSE is set. It is not part of
// other runs, because the score of performance is only meaningful on a quiet machine.
//
// The page of a space draws in software here, which no visitor's computer does, so its performance is not
// scored. Search engines do not read the pages that need an account.
func TestLighthouse(t *testing.T) {
	t.Parallel()
	if os.Getenv("LIGHTHOUSE") == "" {
		t.Skip("LIGHTHOUSE is not set")
	}
	scripts := browser.New(t, browser.Options{Name: "lighthouse", Scripts: "lighthouse"})
	p := open(t)
	var pages []scored
	for _, page := range p.decorate() {
		public := []string{"performance", "accessibility", "best-practices", "seo"}
		switch page.Name {
		case "gallery", "person":
			pages = append(pages, scored{page.Name, p.BaseURL() + page.Path, public, ""})
		case "space":
			pages = append(pages, scored{page.Name, p.BaseURL() + page.Path, public[1:], ""})
		case "sign-in":
			pages = append(pages, scored{page.Name, p.BaseURL() + page.Path, public[:3], ""})
		}
	}
	var cookies []string
	ada := p.signedIn("Ada")
	base, err := url.Parse(p.BaseURL())
	check(t, err)
	for _, cookie := range ada.client.Jar.Cookies(base) {
		cookies = append(cookies, cookie.Name+"="+cookie.Value)
	}
	pages = append(pages, scored{"console", p.BaseURL() + "/console", []string{"accessibility", "best-practices"}, strings.Join(cookies, "; ")})
	description, err := json.Marshal(pages)
	check(t, err)
	out, err := scripts.Run(t.Context(), browser.Command{Script: "score.mjs", Args: []string{scripts.Chromium, string(description)}})
	if err != nil {
		t.Fatalf("%v\n%s", err, out.Text())
	}
	type result struct {
		Name   string         `json:"name"`
		Screen string         `json:"screen"`
		Scores map[string]int `json:"scores"`
		Failed []string       `json:"failed"`
		Error  string         `json:"error"`
	}
	results := browser.Lines[result](t, out)
	if len(pages) != 5 || len(results) != 2*len(pages) {
		t.Fatalf("got %d results of %d pages, want one of a phone and one of a desktop computer for each of 5", len(results), len(pages))
	}
	for _, got := range results {
		t.Logf("%s, %s: %v; not passed: %q", got.Name, got.Screen, got.Scores, got.Failed)
		if got.Error != "" || len(got.Scores) < 2 {
			t.Errorf("%s, %s: got %d scores and error %q, want at least 2 and none", got.Name, got.Screen, len(got.Scores), got.Error)
		}
		for category, score := range got.Scores {
			if score < minLighthouse {
				t.Errorf("%s, %s, %s: got %d, want at least %d", got.Name, got.Screen, category, score, minLighthouse)
			}
		}
	}
}
