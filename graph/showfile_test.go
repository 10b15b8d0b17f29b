package graph_test

import (
	"database/sql"
	"errors"
	"strings"
	"testing"

	"github.com/uptrace/bun/driver/pgdriver"

	"portico/graph/door"
	"portico/model"
)

// count returns the number that the query returns, where package db has no method for it.
func (w *world) count(query string, args ...any) (n int) {
	w.t.Helper()
	direct := sql.OpenDB(pgdriver.NewConnector(pgdriver.WithDSN(w.url)))
	err := direct.QueryRowContext(w.t.Context(), query, args...).Scan(&n)
	check(w.t, errors.Join(err, direct.Close()))
	return n
}

// enqueued returns the number of queued jobs for the file.
func (w *world) enqueued(kind, resourceKey string) int {
	w.t.Helper()
	return w.count("SELECT count(*) FROM river_job WHERE kind = $1 AND args ->> 'resource_key' = $2", kind, resourceKey)
}

func TestCompleteUpload_has_the_file_inspected(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	address := w.upload(w.alice, "a.glb", 10)
	confirmation, err := w.complete(w.alice, address)
	check(t, err)
	_, err = w.complete(w.alice, address)
	check(t, err)
	equal(t, "preparations", w.enqueued("preparation", confirmation.File.ResourceKey), 1)
}

func TestEntities_have_a_view_made(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.space(w.alice, model.SpaceInfinite)
	entity := func(file *model.File) {
		t.Helper()
		_, err := w.put(model.CreateEntity{SpaceID: space.ID, ResourceKey: &file.ResourceKey})
		check(t, err)
	}
	spz, mesh, seen, ofSpace := w.file(w.alice, "a.spz"), w.file(w.alice, "a.glb"), w.file(w.alice, "b.spz"), w.file(w.alice, "c.spz")
	_, err := w.db.Files().AddView(t.Context(), seen, seen.DerivedRoot()+"view.sog", 5)
	check(t, err)
	for range 2 { // made once
		entity(spz)
	}
	entity(mesh)
	entity(seen)
	_, err = w.Mutation().CreateSpace(w.alice.ctx, model.CreateSpace{ResourceKey: &ofSpace.ResourceKey})
	check(t, err)
	for _, test := range []struct {
		name string
		file *model.File
		want int
	}{
		{"of a .spz", spz, 1}, {"of a mesh", mesh, 0}, {"of a .spz with a view", seen, 0}, {"of the file of a space", ofSpace, 1},
	} {
		equal(t, "views "+test.name, w.enqueued("view", test.file.ResourceKey), test.want)
	}
}

const askFile = `query($key: ID!) { file(id: $key) {
	url viewUrl posterUrl attribution derivedBytes collisionUrl
	start { position target up certainty scene walkableArea doubtfulScale }
	facts { __typename format version
		... on GaussianFacts { splats leftOut degree model levels environment bounds { min max } offset up outliers }
		... on MeshFacts { bounds { min max } meshes instances vertices triangles splats materials animations extensions }
		... on ImageFacts { width height }
		... on DamagedFacts { fault } } } }`

// askFacts asks for a file as a client does, with its addresses shortened.
func (w *world) askFacts(file *model.File) string {
	w.t.Helper()
	body := `{"query":` + string(quoted(askFile)) + `,"variables":{"key":"` + file.ResourceKey + `"}}`
	status, got := w.ask(w.alice, body)
	equal(w.t, "status", status, 200)
	got = strings.ReplaceAll(got, w.store.PublicURL(file.DerivedStorageRoot()), "DERIVED/")
	return strings.ReplaceAll(got, w.store.PublicURL(file.StorageKey()), "FILE")
}

func quoted(text string) model.Object {
	return model.Object(`"` + strings.NewReplacer("\n", " ", "\t", " ").Replace(text) + `"`)
}

func TestFile_reports_what_was_found(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	file := w.file(w.alice, "room.spz")
	equal(t, "before it was looked into", w.askFacts(file), `{"data":{"file":{"url":"FILE","viewUrl":"FILE","posterUrl":null,`+
		`"attribution":null,"derivedBytes":0,"collisionUrl":null,"start":null,"facts":null}}}`)
	w.find(file, model.FileFacts{
		Format: model.FormatSPZ, Version: "3", Splats: 12345678901, LeftOut: 7, Degree: 3, Model: "2dgs", Levels: []int64{20, 10}, Environment: 4,
		Up: &[3]float64{0, 0, 1}, Outliers: 8,
		Bounds:      &model.Bounds{Min: [3]float64{-1.5, 0, 0}, Max: [3]float64{1, 2, 3}},
		Attribution: model.AttributionXGRIDS,
	})
	_, err := w.db.Files().SetPosters(t.Context(), file, &model.Posters{Sizes: []model.StoredPoster{{Key: file.DerivedRoot() + "poster.jpg", Width: 640, Height: 400, Bytes: 10}}})
	check(t, err)
	_, err = w.db.Files().AddView(t.Context(), file, file.DerivedRoot()+"view.sog", 5)
	check(t, err)
	_, err = w.db.Files().AddCollision(t.Context(), file, file.DerivedRoot()+"collision/collision.voxel.json", 20, &model.Start{
		Position: [3]float64{1, 1.5, 2}, Target: [3]float64{4, 1.5, 2}, Up: [3]float64{0, 0, 1}, Scene: model.SceneOutdoor,
		WalkableArea: 30.5, Certainty: 0.9, DoubtfulScale: true,
	})
	check(t, err)
	equal(t, "all that there is", w.askFacts(file), `{"data":{"file":{"url":"FILE","viewUrl":"DERIVED/view.sog",`+
		`"posterUrl":"DERIVED/poster.jpg","attribution":"Data Organization Format originated from XGRIDS","derivedBytes":35,`+
		`"collisionUrl":"DERIVED/collision/collision.voxel.json","start":{"position":[1,1.5,2],"target":[4,1.5,2],"up":[0,0,1],"certainty":0.9,`+
		`"scene":"OUTDOOR","walkableArea":30.5,"doubtfulScale":true},`+
		`"facts":{"__typename":"GaussianFacts","format":"SPZ","version":"3","splats":12345678901,"leftOut":7,"degree":3,"model":"2dgs","levels":[20,10],"environment":4,`+
		`"bounds":{"min":[-1.5,0,0],"max":[1,2,3]},"offset":null,"up":[0,0,1],"outliers":8}}}}`)
	equal(t, "used", w.storage(w.alice).Used, file.Size+35)
	for _, test := range []struct {
		facts model.FileFacts
		want  string
	}{
		{model.FileFacts{Format: model.FormatInvalid, Fault: "the file ends early"}, `{"__typename":"DamagedFacts","format":"INVALID","version":null,"fault":"the file ends early"}`},
		{model.FileFacts{Format: model.FormatPNG, Width: 3, Height: 2}, `{"__typename":"ImageFacts","format":"PNG","version":null,"width":3,"height":2}`},
		{
			model.FileFacts{Format: model.FormatGLB, Meshes: 1, Instances: 9, Vertices: 3, Triangles: 1, Materials: 2, Extensions: []string{"KHR_x"}},
			`{"__typename":"MeshFacts","format":"GLB","version":null,"bounds":null,"meshes":1,"instances":9,"vertices":3,"triangles":1,"splats":0,"materials":2,"animations":0,"extensions":["KHR_x"]}`,
		},
		{
			model.FileFacts{Format: model.FormatGLTF, Version: "2.0", Splats: 5, Degree: 1},
			`{"__typename":"GaussianFacts","format":"GLTF","version":"2.0","splats":5,"leftOut":0,"degree":1,"model":null,"levels":`,
		},
		{model.FileFacts{Format: model.FormatOther}, `{"__typename":"OtherFacts","format":"OTHER","version":null}`},
	} {
		w.find(file, test.facts)
		if got := w.askFacts(file); !strings.Contains(got, `"facts":`+test.want) {
			t.Errorf("facts of %s: got %s, want %s", test.facts.Format, got, test.want)
		}
	}
}

// TestFormats_have_their_words checks that the schema has every format.
func TestFormats_have_their_words(t *testing.T) {
	t.Parallel()
	formats := model.FileFormats()
	schema := door.NewExecutableSchema(door.Config{}).Schema()
	equal(t, "words", len(schema.Types["FileFormat"].EnumValues), len(formats))
	for _, format := range formats {
		word := strings.ToUpper(strings.ReplaceAll(string(format), "-", "_"))
		if schema.Types["FileFormat"].EnumValues.ForName(word) == nil {
			t.Errorf("%s: got no word %s, want one", format, word)
		}
	}
}

func TestDeleteFile_removes_what_was_made_of_it(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	file := w.file(w.alice, "a.spz")
	for _, name := range []string{"poster.jpg", "view/lod-meta.json"} {
		_, err := w.store.Put(t.Context(), file.DerivedStorageRoot()+name, strings.NewReader("content"))
		check(t, err)
	}
	_, err := w.db.Files().SetPosters(t.Context(), file, &model.Posters{Sizes: []model.StoredPoster{{Key: file.DerivedRoot() + "poster.jpg", Width: 640, Height: 400, Bytes: 7}}})
	check(t, err)
	_, err = w.Mutation().DeleteFile(w.alice.ctx, file.ResourceKey)
	check(t, err)
	equal(t, "objects", w.objects(), 0)
	equal(t, "used", w.storage(w.alice).Used, 0)
}
