package graph_test

import (
	"testing"

	"portico/model"
)

// withStart stores a start that a worker found, and returns the file.
func (w *world) withStart(file *model.File) *model.File {
	w.t.Helper()
	added, err := w.db.Files().AddCollision(w.t.Context(), file, file.DerivedRoot()+"collision/collision.voxel.json", 20, &model.Start{
		Position: [3]float64{1, 1.5, 2}, Target: [3]float64{4, 1.5, 2}, Up: [3]float64{0, 0, 1}, Scene: model.SceneIndoor, WalkableArea: 30.5,
	})
	check(w.t, err)
	equal(w.t, "added", added, true)
	return file
}

const startFields = `{ file { start { position target up scene walkableArea setByOwner } } }`

func TestUpdateFile_sets_the_start_and_returns_to_the_one_that_was_found(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	file := w.withStart(w.file(w.alice, "room.ply"))
	update := func(input string) string {
		t.Helper()
		return w.query(w.alice, `mutation($f: ID!) { updateFile(input: {fileId: $f`+input+`}) `+startFields+` }`, map[string]any{"f": file.NodeID()})
	}
	const found = `{"updateFile":{"file":{"start":{"position":[1,1.5,2],"target":[4,1.5,2],"up":[0,0,1],"scene":"INDOOR","walkableArea":30.5,"setByOwner":false}}}}`
	const chosen = `{"updateFile":{"file":{"start":{"position":[0,1.6,0.25],"target":[0,1.6,-3],"up":[0,0,1],"scene":"INDOOR","walkableArea":30.5,"setByOwner":true}}}}`
	equal(t, "without a change", update(""), found)
	equal(t, "chosen", update(`, start: {position: [0, 1.6, 0.25], target: [0, 1.6, -3]}`), chosen)
	equal(t, "without a further change", update(""), chosen)
	stored, err := w.Query().File(w.alice.ctx, file.ResourceKey)
	check(t, err)
	equal(t, "stored position", stored.FirstView().Position, [3]float64{0, 1.6, 0.25})
	equal(t, "returned to the found one", update(`, start: null`), found)
}

func TestUpdateFile_sets_the_start_of_a_model(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	file := w.file(w.alice, "chair.glb")
	got := w.query(w.alice, `mutation($f: ID!) { updateFile(input: {fileId: $f, start: {position: [0, 1, 3], target: [0, 0, 0]}}) `+startFields+` }`,
		map[string]any{"f": file.ResourceKey})
	equal(t, "start", got, `{"updateFile":{"file":{"start":{"position":[0,1,3],"target":[0,0,0],"up":[0,1,0],"scene":"OBJECT","walkableArea":0,"setByOwner":true}}}}`)
}

// A start that is found later does not replace the one that the owner chose.
func TestUpdateFile_keeps_the_owners_start(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	file := w.file(w.alice, "room.ply")
	view := model.StartInput{Position: []float64{9, 9, 9}, Target: []float64{0, 0, 0}}
	_, err := w.Mutation().UpdateFile(w.alice.ctx, model.UpdateFile{ResourceKey: file.ResourceKey, SetStart: true, Start: &view})
	check(t, err)
	w.withStart(file)
	got, err := w.Query().File(w.alice.ctx, file.ResourceKey)
	check(t, err)
	equal(t, "position", got.FirstView().Position, [3]float64{9, 9, 9})
	equal(t, "scene", got.FirstView().Scene, model.SceneIndoor)
}

func TestUpdateFile_names_the_field_that_is_wrong(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	file := w.file(w.alice, "room.ply")
	mutation := `mutation($f: ID!) { updateFile(input: {fileId: $f, start: {position: [0, 1], target: [0, 0, 0]}}) { file { id } } }`
	_, response := w.ask(w.alice, request(mutation, map[string]any{"f": file.NodeID()}))
	got := read(t, response)
	if len(got.Errors) != 1 {
		t.Fatalf("response: got %s, want one error", response)
	}
	equal(t, "message", got.Errors[0].Message, "start.position must have three numbers: x, y, z")
	if path, ok := got.Errors[0].Extensions["field"].([]any); !ok || len(path) != 3 || path[2] != "position" {
		t.Errorf("field: got %v, want input start position", got.Errors[0].Extensions["field"])
	}
}
