package graph

import (
	"testing"

	"portico/db"
	"portico/internal/testkit/postgres"
	"portico/model"
)

// The asset belongs to the space after the commit, so it must not be deleted with the error.
func TestApplyChanges_keeps_its_files_if_the_answer_to_the_commit_is_lost(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.space(w.alice, model.SpaceInfinite)
	direct := w.DB
	losing, err := db.Open(t.Context(), db.Options{
		URL: postgres.LosingCommits(t, w.url, `INSERT INTO "space_files"`), Connections: 4, Logger: w.Logger,
	})
	check(t, err)
	t.Cleanup(func() { check(t, losing.Close()) })
	w.DB = losing
	_, err = w.Mutation().ApplyChanges(w.alice.ctx, model.ChangeSet{
		SpaceID: space.ID, Puts: []model.FilePut{{Path: "space/assets/hall.glb", Content: []byte("a hall")}},
	})
	if !db.MayBeCommitted(err) {
		t.Errorf("change set: got %v, want a lost answer to its commit", err)
	}
	files, err := direct.SpaceFiles(t.Context(), space.ID)
	check(t, err)
	if got, want := len(files), 1; got != want {
		t.Fatalf("files of the space: got %d, want %d", got, want)
	}
	if _, err := direct.FileOf(t.Context(), w.alice.id, files[0].ResourceKey); err != nil {
		t.Errorf("file of the asset: got %v, want it in the account", err)
	}
}

// The bytes of an uploaded file are deleted after its row was read, by a request that deletes the file.
func TestApplyChanges_refuses_a_file_that_was_just_deleted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space, file := w.space(w.alice, model.SpaceInfinite), w.file(w.alice, "hall.glb")
	check(t, w.Store.Delete(t.Context(), file.StorageKey()))
	_, err := w.Mutation().ApplyChanges(w.alice.ctx, model.ChangeSet{
		SpaceID: space.ID, Puts: []model.FilePut{{Path: "space/assets/hall.glb", ResourceKey: file.ResourceKey}},
	})
	checkError(t, err, model.CodeInvalidFiles, "space/assets/hall.glb: File not found")
}
