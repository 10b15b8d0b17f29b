package space_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"portico/cmd/portico/command"
	"portico/cmd/portico/transfer"
)

// A space that was exported is shown by a web server that knows nothing of Portico, from a folder below
// its root, with its capture, floor, look, annotations, tour, path and media.
func TestExported_space_works_on_any_web_server(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	capture := s.upload("room.ply", newRoom())
	s.awaitCapture(capture)
	picture := s.upload("picture.png", newPicture())
	imageURL := s.publicURL(picture)
	space := s.newSpace("A taken room", "infinite", capture)
	other := s.newSpace("Elsewhere", "infinite", "")
	s.put(space, at("cube", s.upload("cube.glb", newCube()), 2, 1, -2))
	s.put(space, at("picture", picture, -2, 1.5, -2))
	s.put(space, map[string]any{"entity_id": "hidden", "resource_key": s.upload("secret.png", newPicture()), "entity_data": map[string]any{"hidden": true}})
	s.put(space, map[string]any{"entity_id": "gate", "entity_type": "DynamicGate", "entity_data": map[string]any{
		"title": "Elsewhere", "link": other, "dynamicGate": map[string]any{"position": map[string]any{"x": 0, "y": 0, "z": 3}, "rotation": map[string]any{"x": 0, "y": 0, "z": 0}},
	}})
	s.put(space, map[string]any{"entity_id": "window", "entity_type": "AnnotationEntity", "entity_data": map[string]any{
		"title": "The window", "text": "Made of **glass**.", "position": []float64{0, 1.5, -3}, "imageURL": imageURL, "n": json.Number("1.10"),
		"camera": map[string]any{"position": []float64{0, 1.6, 0}, "target": []float64{0, 1.5, -3}},
	}})
	s.put(space, map[string]any{"entity_id": "tour", "entity_type": "TourEntity", "entity_data": map[string]any{
		"title": "Around", "stops": []any{
			map[string]any{"annotation": "window", "seconds": 0.5, "flight": 0.5},
			map[string]any{"camera": map[string]any{"position": []float64{2, 1.6, 0}, "target": []float64{0, 1.5, 0}}, "seconds": 60, "flight": 0.5},
		},
	}})
	s.Call("PUT", "/v1/spaces/"+space+"/entities/RoomInfo", map[string]any{"entity_data": map[string]any{
		"backgroundColor": "#203040", "skyboxImage": imageURL, "framePosteffectParams": map[string]any{"saturation": 1.2}, "movement": map[string]any{"start": "walk"},
	}}).Want(200, nil)

	site := t.TempDir()
	folder := filepath.Join(site, "museum", "room")
	check(t, os.MkdirAll(filepath.Dir(folder), 0o755))
	export := func(key, folder string) error {
		var out bytes.Buffer
		return (&transfer.StaticExport{Server: s.URL, Key: key, Space: space, Folder: folder}).Run(t.Context(), &command.Invocation{Out: &out})
	}
	if err := export("", folder); err == nil || !strings.Contains(err.Error(), "offers no downloads") {
		t.Errorf("export by a stranger: got %v, want that there are no downloads", err)
	}
	check(t, export(s.Key, folder))
	if err := export(s.Key, folder); err == nil || !strings.Contains(err.Error(), "exists") {
		t.Errorf("second export: got %v, want that the folder exists", err)
	}
	s.Call("PUT", "/v1/spaces/"+space, map[string]any{"licence": "CC-BY-4.0"}).Want(200, nil)
	check(t, export("", filepath.Join(site, "by-a-stranger")))
	page, err := os.ReadFile(filepath.Join(folder, "index.html"))
	check(t, err)
	for _, unwanted := range []string{"secret", "/api_uploads/", s.Key} {
		if bytes.Contains(page, []byte(unwanted)) {
			t.Errorf("page: got %q in it", unwanted)
		}
	}
	var asked atomic.Int64
	files := http.FileServer(http.Dir(site))
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		files.ServeHTTP(w, r)
	}))
	defer web.Close()
	s.visit(t, "static.mjs", map[string]any{"page": web.URL + "/museum/room/", "space": space})
	if asked.Load() < 10 {
		t.Errorf("web server: got %d requests", asked.Load())
	}
}

// publicURL returns the public address of a file.
func (s site) publicURL(resourceKey string) string {
	s.T.Helper()
	var response struct {
		Data struct {
			Files struct {
				Nodes []struct{ ResourceKey, URL string }
			}
		}
	}
	got := s.Call("POST", "/graphql", map[string]any{"query": `{ files { nodes { resourceKey url } } }`})
	check(s.T, json.Unmarshal(got.Body, &response))
	for _, file := range response.Data.Files.Nodes {
		if file.ResourceKey == resourceKey {
			return file.URL
		}
	}
	s.T.Fatalf("there is no file %s", resourceKey)
	return ""
}
