package graph_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"portico/graph"
	"portico/model"
)

func TestSpaceScreenshot_is_the_poster_of_a_fitting_size(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space, file := w.space(w.alice, model.SpaceInfinite), w.file(w.alice, "room.glb")
	posters := &model.Posters{}
	for _, width := range []int{1280, 320, 640} {
		key := file.DerivedRoot() + "poster-" + string(rune('a'+width/320)) + ".jpg"
		_, err := w.store.Put(t.Context(), file.UserID+"/"+key, strings.NewReader("JPEG"))
		check(t, err)
		posters.Sizes = append(posters.Sizes, model.StoredPoster{Key: key, Width: width, Height: width * 5 / 8, Bytes: 4})
	}
	_, err := w.db.Files().SetPosters(t.Context(), file, posters)
	check(t, err)
	_, err = w.Mutation().CreateEntity(w.alice.ctx, model.CreateEntity{SpaceID: space.ID, ResourceKey: &file.ResourceKey})
	check(t, err)
	for wanted, want := range map[int]int{1: 320, 320: 320, 321: 640, 1280: 1280, 4096: 1280} {
		got, err := w.Query().SpaceScreenshot(w.alice.ctx, space.ID, &wanted)
		check(t, err)
		if got.Width != want {
			t.Errorf("width %d: got %d, want %d", wanted, got.Width, want)
		}
		if picture, err := got.Read(t.Context()); err != nil || string(picture) != "JPEG" {
			t.Errorf("width %d: got %q, %v, want the picture", wanted, picture, err)
		}
	}
}

// A hub without captures has the picture of its room at every door, until a file in it has a poster.
func TestHub_has_the_picture_of_its_room(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, width := range []int{320, 640, 1280} {
		poster := model.Poster{URL: fmt.Sprintf("https://portico.example/hub-%d.jpg", width), Width: width, Height: width * 5 / 8}
		w.options.HubPictures = append(w.options.HubPictures, model.BuiltInPicture{Poster: poster, Content: fmt.Append(nil, "JPEG ", width)})
	}
	w.assemble()
	hub, other := w.space(w.alice, model.SpaceHub), w.space(w.alice, model.SpaceInfinite)
	for wanted, want := range map[int]int{1: 320, 320: 320, 321: 640, 4096: 1280} {
		got, err := w.Query().SpaceScreenshot(w.alice.ctx, hub.ID, &wanted)
		check(t, err)
		picture, err := got.Read(t.Context())
		if got.Width != want || err != nil || string(picture) != fmt.Sprint("JPEG ", want) {
			t.Errorf("width %d: got %+v with %q, %v, want one of %d", wanted, got, picture, err, want)
		}
	}
	if _, err := w.Query().SpaceScreenshot(w.alice.ctx, other.ID, nil); model.CodeOf(err) != model.CodeNotFound {
		t.Errorf("another space: got %v, want no picture", err)
	}
	posters := func(space *model.Space) string {
		return w.query(w.alice, `{ space(id: "`+space.ID+`") { posters { width } turntable { frames } } }`, nil)
	}
	equal(t, "the hub", posters(hub), `{"space":{"posters":[{"width":320},{"width":640},{"width":1280}],"turntable":null}}`)
	equal(t, "another space", posters(other), `{"space":{"posters":[],"turntable":null}}`)
	page, err := w.Query().SpacePage(w.alice.ctx, hub.ID)
	check(t, err)
	equal(t, "the page", page.Poster, "https://portico.example/hub-640.jpg")
	equal(t, "its sizes", len(w.SpacePosters(t.Context(), page)), 3)
	file := w.file(w.alice, "room.spz")
	_, err = w.put(model.CreateEntity{SpaceID: hub.ID, ResourceKey: &file.ResourceKey})
	check(t, err)
	_, err = w.db.Files().SetPosters(t.Context(), file, &model.Posters{Sizes: []model.StoredPoster{{Key: file.DerivedRoot() + "poster.jpg", Width: 64, Height: 40, Bytes: 1}}})
	check(t, err)
	equal(t, "a hub with a capture", posters(hub), `{"space":{"posters":[{"width":64}],"turntable":null}}`)
}

// A part of a JPEG is not a picture.
func TestScreenshot_never_returns_a_part_of_a_picture(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for size, isRead := range map[int]bool{graph.MaxScreenshotBytes: true, graph.MaxScreenshotBytes + 1: false} {
		key := fmt.Sprint("pictures/", size)
		_, err := w.store.Put(t.Context(), key, bytes.NewReader(make([]byte, size)))
		check(t, err)
		picture, err := w.ScreenshotAt(t.Context(), key).Read(t.Context())
		if isRead && (err != nil || len(picture) != size) {
			t.Errorf("%d bytes: got %d, %v, want the picture", size, len(picture), err)
		}
		if !isRead && model.CodeOf(err) != model.CodeNotFound {
			t.Errorf("%d bytes: got %d, %v, want that it is not found", size, len(picture), err)
		}
	}
}
