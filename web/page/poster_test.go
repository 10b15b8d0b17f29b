package page_test

import (
	"fmt"
	"html"
	"image"
	"image/color"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"portico/model"
)

// sizeAt returns the width and the height of the picture at an address.
func (p pageServer) sizeAt(address string) string {
	p.t.Helper()
	r, err := http.NewRequestWithContext(p.t.Context(), http.MethodGet, address, http.NoBody)
	check(p.t, err)
	response, err := http.DefaultClient.Do(r)
	check(p.t, err)
	defer response.Body.Close()
	config, _, err := image.DecodeConfig(response.Body)
	check(p.t, err)
	return fmt.Sprintf("%dx%d", config.Width, config.Height)
}

// The lists name each size of a poster with its real width.
func TestGallery_offers_posters_in_all_sizes(t *testing.T) {
	t.Parallel()
	p := open(t)
	ada := p.account("Ada")
	id := p.space(ada, "Cistern", "", model.Public)
	p.show(ada, id, p.capture(ada, "scan.sog", model.FileFacts{Format: model.FormatSOG, Splats: 5}, picture(t, color.White, color.Black)))
	for _, path := range []string{"/", "/u/" + ada.ID} {
		page := p.stranger().get(path)
		set := regexp.MustCompile(`srcset="([^"]*)" sizes="[^"]+"`).FindStringSubmatch(page.body)
		if set == nil {
			t.Fatalf("%s: got no srcset in\n%s", path, page.body)
		}
		var got []string
		for _, source := range strings.Split(html.UnescapeString(set[1]), ",") {
			address, width, _ := strings.Cut(strings.TrimSpace(source), " ")
			got = append(got, width+" is "+p.sizeAt(address))
		}
		if want := []string{"320w is 320x200", "640w is 640x400"}; !slices.Equal(got, want) {
			t.Errorf("%s: got the sizes %q, want %q", path, got, want)
		}
	}
}

// A turntable is loaded when its card is shown in motion, and never by who saves data.
func TestGallery_moves_posters(t *testing.T) {
	t.Parallel()
	p := open(t)
	ada := p.account("Ada")
	id := p.space(ada, "Cistern", "", model.Public)
	p.show(ada, id, p.capture(ada, "scan.sog", model.FileFacts{Format: model.FormatSOG, Splats: 5}, picture(t, color.White, color.Black)))
	strip := regexp.MustCompile(`<span class="turn"><img src="([^"]*)" alt="" width="384" height="5760" loading="lazy"`)
	for _, path := range []string{"/", "/u/" + ada.ID} {
		page := p.stranger().get(path)
		found := strip.FindStringSubmatch(page.body)
		if found == nil || p.sizeAt(html.UnescapeString(found[1])) != "64x960" {
			t.Errorf("%s: got the turntable %q in\n%s", path, found, page.body)
		}
		if saving := p.stranger().get(path, "Save-Data", "on"); strip.MatchString(saving.body) || !strings.Contains(saving.body, "srcset") {
			t.Errorf("%s: got a turntable although the browser saves data", path)
		}
		if vary := strings.Join(page.header.Values("Vary"), ", "); !strings.Contains(vary, "Save-Data") {
			t.Errorf("%s: got Vary %q, want Save-Data in it", path, vary)
		}
	}
}

// A thumbnail of oEmbed has its real size, of any capture, and fits the limits of the frame.
func TestOEmbed_thumbnails_have_their_real_size(t *testing.T) {
	t.Parallel()
	p := open(t)
	ada := p.account("Ada")
	id := p.space(ada, "Cistern", "", model.Public)
	p.show(ada, id, p.capture(ada, "scan.sog", model.FileFacts{Format: model.FormatLCC, Splats: 5}, picture(t, color.White, color.Black)))
	for limits, want := range map[string]string{
		"": "640x400", "&maxwidth=639": "320x200", "&maxheight=200": "320x200", "&maxwidth=319": "",
	} {
		var got embedding
		decode(t, p.stranger().get("/oembed?url="+url.QueryEscape(p.BaseURL()+"/"+id)+limits), &got)
		said := ""
		if got.ThumbnailURL != "" {
			said = fmt.Sprintf("%dx%d", got.ThumbnailWidth, got.ThumbnailHeight)
			if size := p.sizeAt(got.ThumbnailURL); size != said {
				t.Errorf("limits %q: got a picture of %s, which the response says is %s", limits, size, said)
			}
		}
		if said != want {
			t.Errorf("limits %q: got a thumbnail of %q, want %q", limits, said, want)
		}
	}
}
