package rest

import (
	"net/http"
	"strings"
	"testing"

	"portico/model"
)

// keyless sends a request without a key.
func (w *world) keyless(method, path string) response {
	w.t.Helper()
	request, err := http.NewRequestWithContext(w.t.Context(), method, w.base+path, nil)
	check(w.t, err)
	return w.send(request)
}

// shared makes a space of the account with a block of the splat trainer.
func (w *world) shared(who account, title, privacy string) string {
	w.t.Helper()
	id := w.dated(who, `{'title':'`+title+`','description':'D','privacy':'`+privacy+`'}`)
	w.call(who, "PUT", "/v1/spaces/"+id, quotes(`{'splatjs':{'title':'`+title+`','n':12345678901234567890}}`)).status2xx()
	return id
}

func TestShare_shows_a_space_to_everybody_with_its_link(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, privacy := range []string{"Open", "Link Only"} {
		id := w.shared(w.alice, "<A>", privacy)
		want := `{'status':'ok','data':{'id':'` + id + `','title':'<A>','privacy':'` + privacy + `','createdDate':'2026-01-27T09:30:00.000Z',` +
			`'splatjs':{'n':12345678901234567890,'title':'<A>'},'description':'D','owner':{'id':'` + w.alice.id + `','name':'alice'}}}`
		w.keyless("GET", "/v1/splatjs/share/"+id).want(200, want)
		w.call(w.bob, "GET", "/api/v1/splatjs/share/"+id, "").want(200, want)
	}
}

func TestShare_finds_nothing_else(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	private := w.shared(w.alice, "A", "Closed")
	bare := w.space(w.alice, `{'privacy':'Open'}`)
	odd := w.space(w.alice, `{'privacy':'Open'}`)
	w.call(w.alice, "PUT", "/v1/spaces/"+odd, `{"splatjs":"text"}`).status2xx()
	for _, id := range []string{private, bare, odd, "none", "%00", "..%2fgallery"} {
		w.keyless("GET", "/v1/splatjs/share/"+id).refused(404, "Space not found")
		w.call(w.alice, "GET", "/v1/splatjs/share/"+id, "").refused(404, "Space not found")
	}
	for _, path := range []string{"/v1/splatjs/share", "/v1/splatjs/mine", "/v1/splatjs", "/v1/splatjs/gallery/x", "/v1/spaces/" + bare} {
		w.keyless("GET", path).refused(401, "Invalid or expired API key")
	}
	w.call(account{key: "portico_wrong"}, "GET", "/v1/splatjs/gallery", "").refused(401, "Invalid or expired API key")
	w.keyless("POST", "/v1/splatjs/gallery").refused(401, "Invalid or expired API key")
}

func TestGallery_lists_Public_shared_spaces_page_by_page(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var want []string
	for _, title := range []string{"A", "B", "C"} {
		want = append([]string{w.shared(w.alice, title, "Open")}, want...)
		w.shared(w.alice, title, "Closed")
		w.shared(w.alice, title, "Link Only")
		w.space(w.bob, `{'privacy':'Open'}`)
	}
	type page struct {
		Items []struct {
			ID, Title string
			Splatjs   struct{ Title string }
		}
		NextBefore *string
	}
	var got []string
	before := ""
	for range want {
		found := read[page](w.keyless("GET", "/v1/splatjs/gallery?count=1"+before), 200)
		for _, item := range found.Items {
			got = append(got, item.ID)
			if item.Splatjs.Title != item.Title {
				t.Errorf("block: got %+v, want the space's", item)
			}
		}
		if found.NextBefore == nil {
			break
		}
		before = "&before=" + *found.NextBefore
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("items: got %v, want %v", got, want)
	}
	whole := read[page](w.keyless("GET", "/v1/splatjs/gallery"), 200)
	if len(whole.Items) != len(want) || whole.NextBefore != nil {
		t.Errorf("gallery: got %+v, want %d items and the end", whole, len(want))
	}
	w.keyless("GET", "/v1/splatjs/gallery?count=0").refused(400, "count must be a whole number of at least 1")
	w.keyless("GET", "/v1/splatjs/gallery?count=x").refused(400, "count must be a whole number of at least 1")
	w.keyless("GET", "/v1/splatjs/gallery?before=x").refused(400, "before is not a cursor of this server")
	w.keyless("GET", "/v1/splatjs/gallery?count=99999999999999999999").status2xx()
}

func TestMine_lists_all_shared_spaces_of_the_caller(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.call(w.alice, "GET", "/v1/splatjs/mine", "").want(200, `{'status':'ok','data':{'items':[]}}`)
	w.makeRoom()
	for range 3 { // more than a page
		id := w.shared(w.alice, "Large", "Closed")
		w.exec("UPDATE spaces SET data = jsonb_build_object('splatjs', jsonb_build_object('text', repeat('x', 700000))) WHERE id = '" + id + "'")
	}
	w.shared(w.bob, "B", "Open")
	w.space(w.alice, `{}`)
	ownSpaces := w.call(w.alice, "GET", "/v1/splatjs/mine", "")
	found := read[struct{ Items []struct{ Title string } }](ownSpaces, 200)
	if got, want := len(found.Items), 3; got != want {
		t.Errorf("items: got %d, want %d", got, want)
	}
	if got, want := ownSpaces.header.Get("Cache-Control"), "no-store"; got != want {
		t.Errorf("Cache-Control: got %q, want %q", got, want)
	}
}

func TestGallery_counts_by_address_without_a_key(t *testing.T) {
	t.Parallel()
	w := limitedWorld(t)
	for range 300 {
		w.keyless("GET", "/v1/splatjs/share/none").refused(404, "Space not found")
	}
	w.keyless("GET", "/v1/splatjs/gallery").limited()
	w.call(w.alice, "GET", "/v1/splatjs/gallery", "").status2xx()
}

func TestRenameField_keeps_the_code_and_the_reason(t *testing.T) {
	t.Parallel()
	refusal := model.TooLargef("limit is over the maximum").WithField("limit").WithReason(model.ReasonFileTooLarge)
	got := model.AsError(renameField(refusal, map[string]string{"limit": "count"}))
	if got.Code != refusal.Code || got.Reason != refusal.Reason || got.Message != "count is over the maximum" {
		t.Errorf("renamed: got %+v, want the same refusal of count", got)
	}
}
