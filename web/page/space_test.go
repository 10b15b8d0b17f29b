package page_test

import (
	"html"
	"image/color"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"portico/model"
)

func TestSpace_lists_its_entities(t *testing.T) {
	t.Parallel()
	p := open(t)
	ada := p.account("Ada")
	id, far := p.space(ada, "Cistern", "Two\nlines", model.Public), p.space(ada, "Far", "", model.Public)
	p.show(ada, id, p.capture(ada, "scan of it.sog", model.FileFacts{Format: model.FormatSOG, Splats: 5, Attribution: model.AttributionXGRIDS},
		picture(t, color.White, color.Black)))
	p.show(ada, id, p.capture(ada, "bench.glb", model.FileFacts{Format: model.FormatGLB}, nil))
	p.entity(ada, id, "UserModelEntity", map[string]any{"glbUrl": "https://elsewhere.example/a/tour%20guide.mp4?x=1"})
	p.entity(ada, id, "Plugin", map[string]any{"glbUrl": "https://elsewhere.example/clock.mjs", "displayName": "Clock"})
	p.entity(ada, id, "AnnotationEntity", map[string]any{"title": "A note"})
	p.entity(ada, id, "SpawnPoint", map[string]any{"name": "Entrance"})
	p.entity(ada, id, "Simple", map[string]any{"value": 1})
	p.entity(ada, id, "Simple", map[string]any{"title": "Concealed", "hidden": true})
	p.gate(ada, id, "Far away", far)
	p.gate(ada, id, "Older form", "custom.travel.center."+far)
	p.gate(ada, id, "", "https://example.com/50%off")
	p.gate(ada, id, "Unfinished", "")

	got := p.stranger().wantStatus(p.stranger().get("/"+id), http.StatusOK)
	listed := regexp.MustCompile(`(?s)<ul class="things">(.*?)</ul>`).FindString(got.body)
	text := strings.Join(strings.Fields(html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(listed, " "))), " ")
	want := "scan of it 3D capture bench 3D model tour guide Video Clock Plugin A note Object Far away Gate Older form Gate " +
		"https://example.com/50%off Gate, another website Unfinished Gate"
	if text != want {
		t.Errorf("list: got %q, want %q", text, want)
	}
	if got, want := strings.Count(listed, `<a href="/`+far+`">`), 2; got != want {
		t.Errorf("gates to the space: got %d links, want %d in\n%s", got, want, listed)
	}
	wantText(t, got, `<a href="https://example.com/50%25off" rel="nofollow noopener noreferrer external">`,
		`<p class="attribution">`+model.AttributionXGRIDS+`</p>`, "<h1><bdi>Cistern</bdi></h1>", "Two\nlines", `<a href="/u/`+ada.ID+`"><bdi>Ada</bdi></a>`,
		`<div id="scene" data-space-id="`+id+`" data-embed="false" data-language="en" data-poster="`+p.FilesURL())
	wantText(t, p.stranger().get("/"+far), "Nothing yet.", `data-poster=""`)
}

func TestSpace_lists_the_gates_of_a_hub_that_are_set_up(t *testing.T) {
	t.Parallel()
	p := open(t)
	ada := p.account("Ada")
	var made struct {
		SpaceID string `json:"spaceId"`
	}
	_, err := ada.REST("POST", "/spaces", map[string]any{"title": "Hub", "space_type": "hub", "privacy": "Public"}, &made)
	check(t, err)
	wantText(t, p.stranger().get("/"+made.SpaceID), "Nothing yet.")
	_, err = ada.REST("PUT", "/spaces/"+made.SpaceID+"/entities/"+model.StaticGateIDs[2], map[string]any{"entity_data": map[string]any{"title": "Lobby"}}, nil)
	check(t, err)
	wantText(t, p.stranger().get("/"+made.SpaceID), "<bdi>Lobby</bdi>")
}

func TestSpace_has_link_previews(t *testing.T) {
	t.Parallel()
	p := open(t)
	ada := p.account("Ada")
	id := p.space(ada, `Tom & "Jerry"`, "  First\n\nsecond "+strings.Repeat("word ", 100), model.LinkOnly)
	key := p.capture(ada, "scan.sog", model.FileFacts{Format: model.FormatSOG, Splats: 5}, picture(t, color.White, color.Black))
	p.show(ada, id, key)
	got := p.stranger().get("/" + id)
	wantText(t, got,
		`<link rel="canonical" href="`+p.BaseURL()+"/"+id+`">`, `<meta property="og:url" content="`+p.BaseURL()+"/"+id+`">`,
		`<meta property="og:title" content="Tom &amp; &#34;Jerry&#34;">`, `<meta property="og:description" content="First second word`,
		`<meta name="twitter:card" content="summary_large_image">`, `<meta name="robots" content="noindex">`,
		`<link rel="alternate" type="application/json+oembed" href="`+p.BaseURL()+`/oembed?format=json&amp;url=`,
	)
	image := regexp.MustCompile(`<meta property="og:image" content="([^"]*)">`).FindStringSubmatch(got.body)
	if image == nil {
		t.Fatalf("page: got no og:image in\n%s", got.body)
	}
	response := ada.Send("GET", image[1], nil, nil, 0)
	if response.Status != http.StatusOK || response.Header.Get("Content-Type") != "image/jpeg" {
		t.Errorf("og:image: got %d %s, want a JPEG", response.Status, response.Header.Get("Content-Type"))
	}
	description := regexp.MustCompile(`<meta name="description" content="([^"]*)">`).FindStringSubmatch(got.body)
	if description == nil || len([]rune(description[1])) > 200 || !strings.HasSuffix(description[1], "…") {
		t.Errorf("description: got %q, want at most 200 characters and an ellipsis", description)
	}
	if tag := got.header.Get("X-Robots-Tag"); tag != "noindex" {
		t.Errorf("X-Robots-Tag of a Link Only space: got %q, want noindex", tag)
	}
	public := p.stranger().get("/" + p.space(ada, "Open", "", model.Public))
	if strings.Contains(public.body, "noindex") || public.header.Get("X-Robots-Tag") != "" {
		t.Errorf("a Public space: got noindex, want a page that can be found\n%s", public.body)
	}
}

// A Private space gives its owner no code that would not work, and no previews.
func TestSpace_that_is_private_cannot_be_embedded(t *testing.T) {
	t.Parallel()
	p := open(t)
	ada := p.account("Ada")
	id := p.space(ada, "Mine", "", model.Private)
	got := p.signedIn("Ada").wantStatus(p.signedIn("Ada").get("/"+id), http.StatusOK)
	wantText(t, got, `<span class="badge">Private</span>`)
	for _, unwanted := range []string{"iframe", "oembed", "og:", "canonical"} {
		if strings.Contains(got.body, unwanted) {
			t.Errorf("page: got %q, want none in\n%s", unwanted, got.body)
		}
	}
	if cache := got.header.Get("Cache-Control"); cache != "no-store" {
		t.Errorf("Cache-Control: got %q, want no-store", cache)
	}
}

// The owner of protected files sees their posters by a signed address.
func TestSpace_shows_protected_posters_to_who_may_see_them(t *testing.T) {
	t.Parallel()
	p := open(t, "--files-access=protected")
	ada := p.account("Ada")
	key := p.capture(ada, "scan.sog", model.FileFacts{Format: model.FormatSOG, Splats: 5}, picture(t, color.White, color.Black))
	for privacy, b := range map[model.Privacy]visitor{model.Private: p.signedIn("Ada"), model.Public: p.stranger()} {
		id := p.space(ada, "Space", "", privacy)
		if privacy == model.Public {
			key = p.capture(ada, "other.sog", model.FileFacts{Format: model.FormatSOG, Splats: 5}, picture(t, color.White, color.Black))
		}
		p.show(ada, id, key)
		got := b.wantStatus(b.get("/"+id), http.StatusOK)
		poster := regexp.MustCompile(`data-poster="([^"]+)"`).FindStringSubmatch(got.body)
		if poster == nil {
			t.Fatalf("%s: got no poster in\n%s", privacy, got.body)
		}
		if response := ada.Send("GET", html.UnescapeString(poster[1]), nil, nil, 0); response.Status != http.StatusOK {
			t.Errorf("%s: got %d for the poster, want 200", privacy, response.Status)
		}
	}
}
