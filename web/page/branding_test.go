package page_test

import (
	"image"
	"image/png"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"portico/model"
)

// The name, the logo, the colour, the texts and the links are on every page that people see.
func TestBranding_is_on_all_pages(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "logo.png")
	file, err := os.Create(path)
	check(t, err)
	check(t, png.Encode(file, image.NewNRGBA(image.Rect(0, 0, 40, 20))))
	check(t, file.Close())
	p := open(t, "--brand-name", `Museum <b>"Nord"`, "--brand-logo", path, "--brand-colour", "#0a7d4b", "--brand-title", "Our halls",
		"--brand-text", "Walk in.", "--imprint-url", "https://nord.example/imprint", "--privacy-url", "https://nord.example/privacy")
	ada := p.account("Ada")
	hall := p.space(ada, "Hall", "", model.Public)
	reader, member := p.stranger(), p.signedIn("Ada")
	logo := regexp.MustCompile(`/place/logo-[0-9a-f]+\.png`)
	var address string
	for name, got := range map[string]response{
		"start": reader.get("/"), "space": reader.get("/" + hall), "person": reader.get("/u/" + strings.Split(hall, "_")[0]), "missing": reader.get("/nothing"),
		"sign-in": reader.get("/login"), "sign-up": reader.get("/signup"), "console": member.get("/console"), "privacy": reader.get("/privacy?lang=de"),
	} {
		if !strings.Contains(got.body, `Museum &lt;b&gt;`) || strings.Contains(got.body, "<b>") || strings.Contains(got.body, "– Portico") {
			t.Errorf("%s: got no name of the server, or more than text in\n%s", name, got.body)
		}
		wantText(t, got, `/place/brand.css?colour=%230a7d4b`)
		if address = logo.FindString(got.body); address == "" {
			t.Errorf("%s: got no logo in\n%s", name, got.body)
		}
		if name != "console" {
			wantText(t, got, `href="https://nord.example/imprint"`, `href="https://nord.example/privacy"`, `href="/privacy`)
		}
	}
	wantText(t, reader.get("/"), "<h1>Our halls</h1>", "Walk in.")
	sheet := reader.wantStatus(reader.get("/place/brand.css?colour=%230a7d4b"), 200)
	wantText(t, sheet, "--accent: #0a7d4b;", "prefers-color-scheme: dark")
	picture := reader.wantStatus(reader.get(address), 200)
	if picture.header.Get("Content-Type") != "image/png" || picture.header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("logo: got %v", picture.header)
	}
	wantText(t, reader.get("/oembed?url="+url.QueryEscape(p.BaseURL()+"/"+hall)), `"provider_name":"Museum`)
}

// A page of ours with texts from its address would say what anybody wants, so only operators see it.
func TestBranding_is_tried_by_operators_alone(t *testing.T) {
	t.Parallel()
	p := open(t)
	ada := p.account("Ada")
	const path = "/branding?name=Evil+%3Cb%3E&colour=%23ffff00"
	for _, b := range []visitor{p.stranger(), p.signedIn("Ada")} {
		if got := b.wantStatus(b.get(path), 404); strings.Contains(got.body, "Evil") {
			t.Errorf("got %s", got.body)
		}
	}
	_, err := p.DB.Accounts().SetOperator(t.Context(), strings.Split(p.space(ada, "Hall", "", model.Public), "_")[0], true)
	check(t, err)
	b := p.signedIn("Ada")
	wantText(t, b.wantStatus(b.get(path), 200), "choose a darker colour", "Evil &lt;b&gt;")
	wantText(t, b.get("/branding?name=Nord&colour=%230a7d4b"), "PORTICO_BRAND_NAME=&#34;Nord&#34;", "/place/brand.css?colour=%230a7d4b")
}

// The page says what the settings say.
func TestPrivacy_page_has_the_settings_of_the_server(t *testing.T) {
	t.Parallel()
	p := open(t, "--audit-retention", "7d", "--job-history", "36h")
	wantText(t, p.stranger().get("/privacy?lang=en"), "<td>7 days</td>", "<td>36 hours</td>", "<td>90 days</td>", "<td>30 minutes</td>")
	wantText(t, p.stranger().get("/privacy?lang=fr"), "<td>7 jours</td>")
}
