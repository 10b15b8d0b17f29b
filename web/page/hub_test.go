package page_test

import (
	"net/http"
	"regexp"
	"testing"

	"portico/model"
)

// A hub shows its room in lists and before its first frame. Pages of other sites may load the picture.
func TestHub_has_a_poster(t *testing.T) {
	t.Parallel()
	p := open(t)
	ada := p.account("Ada")
	var made struct {
		SpaceID string `json:"spaceId"`
	}
	_, err := ada.REST("POST", "/spaces", map[string]any{"title": "Foyer", "space_type": "hub", "privacy": model.Public}, &made)
	check(t, err)
	address := `(` + regexp.QuoteMeta(p.BaseURL()) + `(/place/hub-640-[0-9a-f]{16}\.jpg))`
	for path, before := range map[string]string{
		"/": `<img src="`, "/u/" + ada.ID: `<img src="`, "/" + made.SpaceID: `data-poster="`, "/embed/" + made.SpaceID: `<img class="poster" src="`,
	} {
		found := regexp.MustCompile(before + address).FindStringSubmatch(p.stranger().get(path).body)
		if found == nil {
			t.Errorf("%s: got no picture of the room", path)
			continue
		}
		if size := p.sizeAt(found[1]); size != "640x400" {
			t.Errorf("%s: got a picture of %s, want 640x400", path, size)
		}
		picture := p.stranger().get(found[2])
		if picture.status != http.StatusOK || picture.header.Get("Cross-Origin-Resource-Policy") != "cross-origin" {
			t.Errorf("%s: got %d with %v, want a picture for every page", found[2], picture.status, picture.header)
		}
	}
}
