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
