package mcp

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"portico/graph/view"
	"portico/model"
)

// find stores facts of the file, as a worker does.
func (w *world) find(resourceKey string, facts model.FileFacts) {
	w.t.Helper()
	check(w.t, w.db.Files().SetFacts(w.t.Context(), resourceKey, &facts))
}

func fileArguments(resourceKey, more string) string {
	return fmt.Sprintf(`{"resource_key":%q%s}`, resourceKey, more)
}

func TestGetFile_returns_the_file_of_a_resource_key(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	key := w.file(w.alice, "room.ply")
	address := "https://portico.example/files/" + w.alice.id + "/" + key
	response := w.call(w.alice, "get_file", fileArguments(key, ""))
	got := read[view.File](response)
	got.CreatedAt = model.Time{}
	if want := (view.File{
		ResourceKey: key, FileName: "room.ply", FileSize: 1, ContentType: "application/octet-stream", URL: address, ViewURL: address,
		Posters: []*model.Poster{},
	}); !reflect.DeepEqual(got, want) {
		t.Errorf("file: got %+v, want %+v", got, want)
	}
	if _, data := response.text(); !strings.Contains(data, `"facts":null,"poster_url":null`) || !strings.Contains(data, `"attribution":null`) {
		t.Errorf("data: got %s, want null for what is not there", data)
	}
	w.call(w.bob, "get_file", fileArguments(key, "")).refused(model.CodeNotFound, "File not found")
	w.call(w.alice, "get_file", `{}`).refused(model.CodeInvalid, "resource_key is required")
}

func TestGetFile_says_what_was_found(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	key := w.file(w.alice, "room.ply")
	file, err := w.db.Files().FileOf(t.Context(), w.alice.id, key)
	check(t, err)
	_, err = w.db.Files().SetPosters(t.Context(), file, &model.Posters{Sizes: []model.StoredPoster{{Key: file.DerivedRoot() + "poster.jpg", Width: 640, Height: 400, Bytes: 7}}})
	check(t, err)
	for _, test := range []struct {
		summary string
		facts   model.FileFacts
	}{
		{"room.ply, 1 bytes, ply, 1000 Gaussians", model.FileFacts{
			Format: model.FormatPLY, Splats: 1000, Degree: 3, Levels: []int64{1000, 500}, Environment: 1,
			Bounds: &model.Bounds{Max: [3]float64{1, 2, 3}}, Attribution: model.AttributionXGRIDS,
		}},
		{"room.ply, 1 bytes, mesh-ply", model.FileFacts{Format: model.FormatMeshPLY, Vertices: 8, Triangles: 12}},
		{"room.ply, 1 bytes, is damaged: the header has no end", model.FileFacts{Format: model.FormatInvalid, Fault: "the header has no end"}},
	} {
		t.Run(string(test.facts.Format), func(t *testing.T) {
			w.find(key, test.facts)
			response := w.call(w.alice, "get_file", fileArguments(key, ""))
			summary, _ := response.text()
			equal(t, "summary", summary, test.summary)
			got := read[view.File](response)
			if got.Facts == nil || model.FileFacts(*got.Facts).Format != test.facts.Format || got.Facts.Splats != test.facts.Splats {
				t.Errorf("facts: got %+v, want %+v", got.Facts, test.facts)
			}
			if got.PosterURL == nil || !strings.HasSuffix(*got.PosterURL, "/poster.jpg") || got.DerivedBytes != 7 {
				t.Errorf("poster: got %v of %d bytes, want its address", got.PosterURL, got.DerivedBytes)
			}
			if (got.Attribution != nil) != (test.facts.Attribution != "") {
				t.Errorf("attribution: got %v, want %q", got.Attribution, test.facts.Attribution)
			}
		})
	}
}

func TestConvertFile_returns_the_job(t *testing.T) {
	t.Parallel()
	w := newWorld(t) // and nobody works
	w.door.shortWait = 0
	key := w.file(w.alice, "room.ply")
	got := read[uploadOutput](w.call(w.alice, "convert_file", fileArguments(key, `,"to":"sog"`)))
	equal(t, "status", got.Status, uploadProcessing)
	job, err := w.db.Jobs().Job(t.Context(), got.JobID)
	check(t, err)
	equal(t, "source", job.SourceKey, key)
	equal(t, "target", job.ConvertTo, model.ConvertToSOG)
	again := read[uploadOutput](w.call(w.alice, "convert_file", fileArguments(key, `,"to":"sog"`)))
	equal(t, "job when asked again", again.JobID, got.JobID)
	changed := read[uploadOutput](w.call(w.alice, "convert_file", fileArguments(key,
		`,"to":"ply","edits":[{"filter_value":{"property":"opacity","comparison":"gt","value":0.1}},{"rotate":[0,0,180]}]`)))
	job, err = w.db.Jobs().Job(t.Context(), changed.JobID)
	check(t, err)
	equal(t, "changes", job.Edits, `[{"name":"filter-value","value":"opacity,gt,0.1"},{"name":"rotate","value":"0,0,180"}]`)
	other := w.file(w.alice, "tree.spz")
	merged := read[uploadOutput](w.call(w.alice, "convert_file", fileArguments(key,
		`,"to":"ply","edits":[{"merge":{"resource_key":"`+other+`","scale":2}},{"filter_floaters":{}},{"decimate":{"count":1000}}]`)))
	job, err = w.db.Jobs().Job(t.Context(), merged.JobID)
	check(t, err)
	equal(t, "changes", job.Edits, `[{"name":"merge","value":"`+model.Edits(other)+`","edits":[{"name":"scale","value":"2"}]},`+
		`{"name":"filter-floaters","value":"0.05,0.1,0.004"},{"name":"decimate","value":"1000"}]`)
}

func TestConvertFile_refuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	key := w.file(w.alice, "room.ply")
	for _, test := range []struct {
		name      string
		who       *account
		arguments string
		code      model.Code
		message   string
	}{
		{"no target", w.alice, fileArguments(key, ""), model.CodeInvalid, "to is required"},
		{"an unknown target", w.alice, fileArguments(key, `,"to":"obj"`), model.CodeInvalid, "to must be one of sog, streamed-sog, ply, compressed-ply, spz, glb, csv, turntable"},
		{"a change that is wrong", w.alice, fileArguments(key, `,"to":"ply","edits":[{"filter_box":{"min":[0,0],"max":[1,1,1]}}]`), model.CodeInvalid, "edits.0.filter_box.min must have three numbers: x, y, z"},
		{"a merge of an unknown file", w.alice, fileArguments(key, `,"to":"ply","edits":[{"merge":{"resource_key":"api_uploads/x.ply"}}]`), model.CodeNotFound, "File not found"},
		{"an entity of an unknown space", w.alice, fileArguments(key, `,"to":"sog","replace_in":{"space_id":"x","entity_id":"y"}`), model.CodeNotFound, "Space not found"},
		{"an empty change", w.alice, fileArguments(key, `,"to":"ply","edits":[null]`), model.CodeInvalid, "edits.0 must have exactly one change"},
		{"a change in another case", w.alice, fileArguments(key, `,"to":"ply","edits":[{"SCALE":2}]`), model.CodeInvalid, "edits.0 must have exactly one change"},
		{"another user's", w.bob, fileArguments(key, `,"to":"sog"`), model.CodeNotFound, "File not found"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w.call(test.who, "convert_file", test.arguments).refused(test.code, test.message)
		})
	}
}
