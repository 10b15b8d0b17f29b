package page_test

import (
	"encoding/json"
	"image/color"
	"net/url"
	"os"
	"slices"
	"testing"

	"portico/internal/testkit/api"
	"portico/internal/testkit/browser"
	"portico/model"
)

// looked is a page for the script to look at.
type looked struct {
	Name     string `json:"name"`
	Path     string `json:"path"`
	SignedIn bool   `json:"signedIn"`
	Has      string `json:"has"` // a selector
	pictured bool   // whether the page is looked at only for its pictures
}

// TestPages_in_a_browser looks at all pages in Chromium, on a wide light screen and on a dark
// phone: axe finds nothing, the console is empty, nothing is loaded from other hosts, and
// nothing is wider than the screen. With PORTICO_PICTURES=FOLDER it stores pictures of them,
// wide and narrow, light and dark.
func TestPages_in_a_browser(t *testing.T) {
	t.Parallel()
	scripts := browser.New(t, browser.Options{Name: "playground", Scripts: "browser", Packages: "../playground/browser"})
	folder := os.Getenv("PORTICO_PICTURES")
	p := open(t)
	pages := p.decorate()
	if folder == "" {
		pages = slices.DeleteFunc(pages, func(page looked) bool { return page.pictured })
	}
	files, err := url.Parse(p.FilesURL())
	check(t, err)
	description, err := json.Marshal(map[string]any{
		"base": p.BaseURL(), "allowed": []string{files.Scheme + "://" + files.Host},
		"signIn": map[string]string{"email": addressOf("Ada"), "password": password}, "pages": pages,
	})
	check(t, err)
	arguments := []string{scripts.Chromium, string(description)}
	if folder != "" {
		arguments = append(arguments, folder)
	}
	out, err := scripts.Run(t.Context(), browser.Command{Script: "look.mjs", Args: arguments})
	if err != nil || out.Text() != "looked\n" {
		t.Errorf("pages: got %v and\n%swant nothing that is wrong", err, out.Text())
	}
}

// decorate fills the server with spaces and returns the pages to look at.
func (p pageServer) decorate() []looked {
	p.t.Helper()
	ada, grace := p.account("Ada"), p.account("Grace Brewster")
	colours := []color.Color{
		color.RGBA{0x7a, 0x9c, 0xc6, 255}, color.RGBA{0xc9, 0x8b, 0x6b, 255}, color.RGBA{0x6f, 0x8f, 0x72, 255},
		color.RGBA{0xd8, 0xc4, 0x9a, 255}, color.RGBA{0x8d, 0x7a, 0xa5, 255},
	}
	titles := []string{
		"The old observatory", "Harbour at dawn", "Reading room of the city library, second floor, with the spiral stairs",
		"Kiln", "客厅", "Greenhouse 4", "Chapel of St. Anne",
	}
	for i := range 27 {
		id := p.space(grace, titles[i%len(titles)], "", model.Public)
		if i%4 != 3 {
			key := p.capture(grace, "scan.sog", model.FileFacts{Format: model.FormatSOG, Splats: 2_000_000},
				picture(p.t, colours[i%5], colours[(i+2)%5]))
			p.show(grace, id, key)
		}
	}
	full := p.space(ada, "Cistern below the market square", "Captured in March, one hour before opening.\n\n"+
		"Walk down the stairs on the left: the water is real, the echo is not.", model.Public)
	p.show(ada, full, p.capture(ada, "cistern.sog", model.FileFacts{
		Format: model.FormatSOG, Splats: 3_100_000, Attribution: model.AttributionXGRIDS,
	}, picture(p.t, colours[1], colours[4])))
	for i, name := range []string{"bench.glb", "plan of the vault.png", "dripping.wav"} {
		p.show(ada, full, p.capture(ada, name, model.FileFacts{Format: []model.FileFormat{model.FormatGLB, model.FormatPNG, model.FormatOther}[i]}, nil))
	}
	p.gate(ada, full, "To the observatory", p.space(grace, "Elsewhere", "", model.Public))
	p.gate(ada, full, "", "https://example.com/a/long/address/of/another/website")
	linked, private := p.space(ada, "For friends", "", model.LinkOnly), p.space(ada, "Nobody else", "", model.Private)
	empty := p.account("Nemo")
	return []looked{
		{"gallery", "/", false, ".card img", false}, {"gallery-signed-in", "/", true, ".card img", true},
		{"gallery-german", "/?lang=de", false, "html[lang=de] .card", true},
		{"gallery-french", "/?lang=fr", false, "html[lang=fr] .card", true}, {"gallery-japanese", "/?lang=ja", false, "html[lang=ja] .card", false}, {"search", "/?q=kiln", false, ".card", true},
		{"search-nothing", "/?q=zzz&order=visits", false, ".nothing", false},
		{"person", "/u/" + grace.ID, false, ".pages a[rel=next]", false}, {"person-follow", "/u/" + grace.ID, true, "button[value=follow]", false},
		{"person-empty", "/u/" + empty.ID, false, ".nothing", true},
		{"space", "/" + full, false, ".attribution", false}, {"space-german", "/" + full + "?lang=de", false, "#scene[data-language=de]", true},
		{"space-spanish", "/" + full + "?lang=es", false, "#scene[data-language=es]", true}, {"space-chinese", "/" + full + "?lang=zh", false, "#scene[data-language=zh]", false},
		{"space-link-only", "/" + linked, false, ".badge", true}, {"space-private", "/" + private, true, ".badge", false},
		{"embed", "/embed/" + full, false, "#scene[data-embed=true]", false}, {"embed-private", "/embed/" + private, false, ".failure", false},
		{"private", "/" + private, false, ".failure a.button", false}, {"missing", "/" + full + "x", false, ".failure", false},
		{"unknown", "/a/b/c", false, ".failure", true}, {"sign-in", "/login", false, "form", false}, {"key", "/account/key", true, "form", true},
	}
}

func (p pageServer) gate(owner *api.Client, spaceID, title, link string) {
	p.t.Helper()
	axes := map[string]int{"x": 0, "y": 0, "z": 0}
	_, err := owner.REST("POST", "/spaces/"+spaceID+"/entities", map[string]any{
		"entity_type": "DynamicGate",
		"entity_data": map[string]any{"title": title, "link": link, "dynamicGate": map[string]any{"position": axes, "rotation": axes}},
	}, nil)
	check(p.t, err)
}
