package page_test

import (
	"image/color"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"portico/model"
)

// embedding is a response of oEmbed.
type embedding struct {
	Type, Version, Title, HTML string
	AuthorName                 string `json:"author_name"`
	AuthorURL                  string `json:"author_url"`
	ProviderURL                string `json:"provider_url"`
	Width, Height              int
	ThumbnailURL               string `json:"thumbnail_url"`
	ThumbnailWidth             int    `json:"thumbnail_width"`
	ThumbnailHeight            int    `json:"thumbnail_height"`
}

func TestOEmbed_describes_the_embedded_form_of_a_space(t *testing.T) {
	t.Parallel()
	p := open(t)
	ada := p.account("Ada")
	id := p.space(ada, "Cistern", "", model.Public)
	p.show(ada, id, p.capture(ada, "scan.sog", model.FileFacts{Format: model.FormatSOG, Splats: 5}, picture(t, color.White, color.Black)))
	response := p.stranger().get("/oembed?format=json&url=" + url.QueryEscape(p.BaseURL()+"/"+id))
	var got embedding
	decode(t, response, &got)
	if !strings.HasPrefix(got.ThumbnailURL, p.FilesURL()+"/"+ada.ID+"/derived/") {
		t.Errorf("thumbnail: got %q, want the poster", got.ThumbnailURL)
	}
	want := embedding{
		Type: "rich", Version: "1.0", Title: "Cistern", AuthorName: "Ada", AuthorURL: p.BaseURL() + "/u/" + ada.ID, ProviderURL: p.BaseURL() + "/",
		Width: 800, Height: 450, ThumbnailURL: got.ThumbnailURL, ThumbnailWidth: 640, ThumbnailHeight: 400,
		HTML: `<iframe src="` + p.BaseURL() + "/embed/" + id + `" title="Cistern" width="800" height="450" style="max-width: 100%; border: 0" loading="lazy" ` +
			`allow="autoplay; clipboard-write; fullscreen; gamepad; xr-spatial-tracking" allowfullscreen></iframe>`,
	}
	if got != want {
		t.Errorf("response: got %+v, want %+v", got, want)
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json; charset=utf-8", "Access-Control-Allow-Origin": "*", "Cache-Control": "no-cache",
	} {
		if response.header.Get(name) != value {
			t.Errorf("%s: got %q, want %q", name, response.header.Get(name), value)
		}
	}
	if head := p.stranger().send(http.MethodHead, "/oembed?url="+url.QueryEscape(p.BaseURL()+"/"+id), ""); head.status != http.StatusOK || head.body != "" {
		t.Errorf("HEAD: got %d, want 200 without a body", head.status)
	}
}

func TestOEmbed_reads_its_parameters(t *testing.T) {
	t.Parallel()
	p := open(t)
	address := p.BaseURL() + "/" + p.space(p.account("Ada"), "Space", "", model.LinkOnly)
	host := strings.TrimPrefix(p.BaseURL(), "http://")
	for _, row := range []struct {
		url, more     string
		status        int
		width, height int
	}{
		{address, "", 200, 800, 450}, {address, "&maxwidth=300", 200, 300, 450}, {address, "&maxheight=100&maxwidth=9000", 200, 800, 100},
		{address, "&maxwidth=0", 400, 0, 0}, {address, "&maxwidth=x", 400, 0, 0}, {address, "&maxheight=-1", 400, 0, 0},
		{address, "&format=xml", 501, 0, 0}, {address + "/?lang=de#view", "", 200, 800, 450}, {strings.Replace(address, "http:", "https:", 1), "", 200, 800, 450},
		{strings.Replace(address, host+"/", host+"/embed/", 1), "", 200, 800, 450},
		{"", "", 404, 0, 0}, {p.BaseURL(), "", 404, 0, 0}, {address + "x", "", 404, 0, 0}, {"https://evil.example/" + address[len(p.BaseURL())+1:], "", 404, 0, 0},
		{strings.Replace(address, "http://", "http://evil.example@", 1), "", 404, 0, 0}, {"javascript:" + address, "", 404, 0, 0}, {"http://%zz", "", 404, 0, 0},
		{strings.TrimPrefix(address, "http:"), "", 404, 0, 0},
	} {
		response := p.stranger().get("/oembed?url=" + url.QueryEscape(row.url) + row.more)
		var got embedding
		decode(t, response, &got)
		if response.status != row.status || got.Width != row.width || got.Height != row.height {
			t.Errorf("%s%s: got %d %dx%d, want %d %dx%d", row.url, row.more, response.status, got.Width, got.Height, row.status, row.width, row.height)
		}
		if row.status != 200 && (response.header.Get("Cache-Control") != "no-store" || !strings.Contains(response.body, `"message"`)) {
			t.Errorf("%s%s: got %v %s, want a refusal that is not kept", row.url, row.more, response.header, response.body)
		}
	}
}
