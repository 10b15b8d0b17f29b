package space_test

import (
	"errors"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"portico/internal/testkit/api"
	"portico/internal/testkit/postgres"
	"portico/internal/testkit/postgres/testdb"
	"portico/splat"
	"portico/splat/folder"
	"portico/splat/scenery"
)

// TestPictures makes the pictures of README.md in the folder SPACE_README.
func TestPictures(t *testing.T) {
	t.Parallel()
	to := os.Getenv("SPACE_README")
	if to == "" {
		t.Skip("SPACE_README names no folder")
	}
	database := postgres.URL(t, testdb.Migrate)
	s := newSite(t, "--database-url="+database)
	var spaces []string
	for i, view := range scenery.Views() {
		key := s.uploadScenery(fmt.Sprintf("garden-%d.ply", i), 400_000)
		s.awaitCapture(key)
		// The garden stands upright; its arcades and its sky look like a ground above.
		_, err := postgres.Connect(t, database).ExecContext(t.Context(), `UPDATE files SET start = jsonb_set(start, '{up}', '[0, 1, 0]')`)
		check(t, err)
		s.look(key, view)
		spaces = append(spaces, s.newSpace([]string{"Cloister garden", "The fountain, from the east walk", "North arcade"}[i], "infinite", key))
	}
	view := scenery.Views()[0]
	s.visit(t, "pictures.mjs", map[string]any{
		"space": spaces[0], "folder": to, "sculpture": s.upload("sculpture.glb", newModel()), "eye": view.Eye, "yaw": view.Yaw, "pitch": view.Pitch,
	})
}

// TestHub_pictures makes the pictures of a hub's room in the folder HUB_PICTURES: what a visitor sees
// first, in the sizes of posters.
func TestHub_pictures(t *testing.T) {
	t.Parallel()
	to := os.Getenv("HUB_PICTURES")
	if to == "" {
		t.Skip("HUB_PICTURES names no folder")
	}
	s := newSite(t, "--database-url="+postgres.URL(t, testdb.Migrate))
	drawn := filepath.Join(t.TempDir(), "hub.png")
	s.visit(t, "hub.mjs", map[string]any{"space": s.newSpace("Hub", "hub", ""), "file": drawn})
	from, err := folder.OpenLocal(filepath.Dir(drawn))
	check(t, err)
	capture, err := splat.Open(t.Context(), from, filepath.Base(drawn))
	check(t, err)
	pictures, err := capture.Pictures(t.Context(), nil, image.Pt(1280, 800), image.Pt(640, 400), image.Pt(320, 200))
	check(t, err)
	for _, picture := range pictures {
		file, err := os.Create(filepath.Join(to, fmt.Sprintf("hub-%d.jpg", picture.Bounds().Dx())))
		check(t, err)
		check(t, errors.Join(splat.EncodeJPEG(file, picture), file.Close()))
	}
	check(t, errors.Join(capture.Close(), from.Close()))
}

// look makes a view the first one of a capture, and waits for its picture.
func (s site) look(resourceKey string, view scenery.View) {
	s.T.Helper()
	var response struct {
		Files struct {
			Nodes []struct{ ID, ResourceKey, PosterURL string }
		}
	}
	read := func() (id, poster string) {
		s.Call("POST", "/graphql", map[string]any{"query": `{ files { nodes { id resourceKey posterUrl } } }`}).Want(200, &response)
		for _, file := range response.Files.Nodes {
			if file.ResourceKey == resourceKey {
				return file.ID, file.PosterURL
			}
		}
		return "", ""
	}
	id, before := read()
	changed := s.Call("POST", "/graphql", map[string]any{
		"query":     `mutation($in: UpdateFileInput!) { updateFile(input: $in) { file { id } } }`,
		"variables": map[string]any{"in": map[string]any{"fileId": id, "start": map[string]any{"position": view.Eye, "target": view.Target()}}},
	})
	if strings.Contains(string(changed.Body), `"errors"`) {
		s.T.Fatalf("updateFile: got %s", changed.Body)
	}
	api.Eventually(s.T, resourceKey+" has another poster", func() bool {
		_, poster := read()
		return poster != before
	})
}
