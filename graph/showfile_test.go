package graph

import (
	"database/sql"
	"errors"
	"strings"
	"testing"

	"github.com/uptrace/bun/driver/pgdriver"

	"portico/model"
)

// count returns the one number that the query finds, for figures without a method of
// db.
func (w *world) count(query string, args ...any) (n int) {
	w.t.Helper()
	direct := sql.OpenDB(pgdriver.NewConnector(pgdriver.WithDSN(w.url)))
	err := direct.QueryRowContext(w.t.Context(), query, args...).Scan(&n)
	check(w.t, errors.Join(err, direct.Close()))
	return n
}

// enqueued counts what is to be done for the file behind its owner's back.
func (w *world) enqueued(kind, resourceKey string) int {
	w.t.Helper()
	return w.count("SELECT count(*) FROM river_job WHERE kind = $1 AND args ->> 'resource_key' = $2", kind, resourceKey)
}

func TestCompleteUploadHasTheFileLookedInto(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	address := w.upload(w.alice, "a.glb", 10)
	confirmation, err := w.complete(w.alice, address)
	check(t, err)
	_, err = w.complete(w.alice, address)
	check(t, err)
	equal(t, "preparations", w.enqueued("preparation", confirmation.File.ResourceKey), 1)
}

func TestEntitiesHaveAViewMade(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.space(w.alice, model.SpaceInfinite)
	entity := func(file *model.File) {
		t.Helper()
		_, err := w.put(model.CreateEntity{SpaceID: space.ID, ResourceKey: &file.ResourceKey})
		check(t, err)
	}
	spz, mesh, seen, begun := w.file(w.alice, "a.spz"), w.file(w.alice, "a.glb"), w.file(w.alice, "b.spz"), w.file(w.alice, "c.spz")
	_, err := w.DB.AddView(t.Context(), seen, seen.DerivedRoot()+"view.sog", 5)
	check(t, err)
	for range 2 { // made once
		entity(spz)
	}
	entity(mesh)
	entity(seen)
	_, err = w.Mutation().CreateSpace(w.alice.ctx, model.CreateSpace{ResourceKey: &begun.ResourceKey})
	check(t, err)
	for _, test := range []struct {
		name string
		file *model.File
		want int
	}{
		{"of a .spz", spz, 1}, {"of a mesh", mesh, 0}, {"of a .spz with a view", seen, 0}, {"of the file of a space", begun, 1},
	} {
		equal(t, "views "+test.name, w.enqueued("view", test.file.ResourceKey), test.want)
	}
}

const askFile = `query($key: String!) { file(resourceKey: $key) {
	url viewUrl posterUrl attribution derivedBytes
	facts { format version splats leftOut degree model levels environment bounds { min max } width height
		meshes vertices triangles materials animations extensions fault } } }`

// askFacts asks for a file as a client does, with its addresses shortened.
func (w *world) askFacts(file *model.File) string {
	w.t.Helper()
	body := `{"query":` + string(quoted(askFile)) + `,"variables":{"key":"` + file.ResourceKey + `"}}`
	status, got := w.ask(w.alice, body)
	equal(w.t, "status", status, 200)
	got = strings.ReplaceAll(got, w.Store.PublicURL(file.DerivedStorageRoot()), "DERIVED/")
	return strings.ReplaceAll(got, w.Store.PublicURL(file.StorageKey()), "FILE")
}

func quoted(text string) model.Object {
	return model.Object(`"` + strings.NewReplacer("\n", " ", "\t", " ").Replace(text) + `"`)
}

func TestFileTellsWhatWasFound(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	file := w.file(w.alice, "room.spz")
	equal(t, "before it was looked into", w.askFacts(file), `{"data":{"file":{"url":"FILE","viewUrl":"FILE","posterUrl":null,`+
		`"attribution":null,"derivedBytes":0,"facts":null}}}`)
	w.find(file, model.FileFacts{
		Format: model.FormatSPZ, Version: "3", Splats: 12345678901, LeftOut: 7, Degree: 3, Model: "2dgs", Levels: []int64{20, 10}, Environment: 4,
		Bounds:      &model.Bounds{Min: [3]float64{-1.5, 0, 0}, Max: [3]float64{1, 2, 3}},
		Attribution: model.AttributionXGRIDS,
	})
	_, err := w.DB.AddPoster(t.Context(), file, file.DerivedRoot()+"poster.jpg", 10)
	check(t, err)
	_, err = w.DB.AddView(t.Context(), file, file.DerivedRoot()+"view.sog", 5)
	check(t, err)
	equal(t, "all that there is", w.askFacts(file), `{"data":{"file":{"url":"FILE","viewUrl":"DERIVED/view.sog",`+
		`"posterUrl":"DERIVED/poster.jpg","attribution":"Data Organization Format originated from XGRIDS","derivedBytes":15,`+
		`"facts":{"format":"SPZ","version":"3","splats":12345678901,"leftOut":7,"degree":3,"model":"2dgs","levels":[20,10],"environment":4,`+
		`"bounds":{"min":[-1.5,0,0],"max":[1,2,3]},"width":0,"height":0,"meshes":0,"vertices":0,"triangles":0,`+
		`"materials":0,"animations":0,"extensions":[],"fault":null}}}}`)
	equal(t, "used", w.storage(w.alice).Used, file.Size+15)
	w.find(file, model.FileFacts{Format: model.FormatInvalid, Fault: "the file ends early"})
	if got := w.askFacts(file); !strings.Contains(got, `"format":"INVALID","version":null`) || !strings.Contains(got, `"fault":"the file ends early"`) {
		t.Errorf("damaged: got %s, want why", got)
	}
}

// TestFormatsHaveTheirWords holds that every format is one of the schema's.
func TestFormatsHaveTheirWords(t *testing.T) {
	t.Parallel()
	formats := []model.FileFormat{
		model.FormatLCC, model.FormatLCC2, model.FormatSOG, model.FormatStreamedSOG, model.FormatSPZ, model.FormatSplat, model.FormatKSplat, model.FormatPLY,
		model.FormatCompressedPLY, model.FormatMeshPLY, model.FormatGLB, model.FormatGLTF, model.FormatJPEG,
		model.FormatPNG, model.FormatGIF, model.FormatWebP, model.FormatOther, model.FormatInvalid,
	}
	schema := NewExecutableSchema(Config{Resolvers: &Resolver{}}).Schema()
	equal(t, "words", len(schema.Types["FileFormat"].EnumValues), len(formats))
	for _, format := range formats {
		word := strings.ToUpper(strings.ReplaceAll(string(format), "-", "_"))
		if schema.Types["FileFormat"].EnumValues.ForName(word) == nil {
			t.Errorf("%s: got no word %s, want one", format, word)
		}
	}
}

func TestDeleteFileRemovesWhatWasMadeOfIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	file := w.file(w.alice, "a.spz")
	for _, name := range []string{"poster.jpg", "view/lod-meta.json"} {
		_, err := w.Store.Put(t.Context(), file.DerivedStorageRoot()+name, strings.NewReader("content"))
		check(t, err)
	}
	_, err := w.DB.AddPoster(t.Context(), file, file.DerivedRoot()+"poster.jpg", 7)
	check(t, err)
	_, err = w.Mutation().DeleteFile(w.alice.ctx, file.ResourceKey)
	check(t, err)
	equal(t, "objects", w.objects(), 0)
	equal(t, "used", w.storage(w.alice).Used, 0)
}
