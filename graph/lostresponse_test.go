package graph_test

import (
	"testing"

	"portico/db"
	"portico/internal/testkit/postgres"
	"portico/model"
)

// losing opens the database of the world again, through a connection that loses the response to the
// commit of a transaction that has a statement with this text.
func (w *world) losing(statement string) *db.DB {
	w.t.Helper()
	losing, err := db.Open(w.t.Context(), db.Options{
		URL: postgres.LosingCommits(w.t, w.url, statement), Connections: 4, Logger: w.Logger(),
	})
	check(w.t, err)
	w.t.Cleanup(func() { check(w.t, losing.Close()) })
	return losing
}

func TestStoreUpload_repeats_the_confirmation_if_the_answer_to_the_commit_is_lost(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.useDB(w.losing(`INSERT INTO "files"`))
	in, content := stored("a.glb", "123")
	confirmation, err := w.StoreUpload(w.alice.ctx, in, content)
	check(t, err)
	if confirmation.File == nil || confirmation.File.Size != 3 {
		t.Errorf("StoreUpload: got %+v, want the file", confirmation)
	}
	equal(t, "storage", w.storage(w.alice), model.Storage{Used: 3, Quota: testQuota})
}

// The file may be stored, so its bytes must stay.
func TestStoreUpload_keeps_an_upload_whose_confirmation_cannot_be_repeated(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.exec(`CREATE FUNCTION hide_uploads() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS '
		BEGIN ALTER TABLE uploads RENAME TO uploads_away; RETURN NULL; END'`)
	w.exec(`CREATE TRIGGER hide_uploads AFTER INSERT ON files FOR EACH ROW EXECUTE FUNCTION hide_uploads()`)
	direct := w.db
	w.useDB(w.losing(`INSERT INTO "files"`))
	in, content := stored("a.glb", "123")
	if _, err := w.StoreUpload(w.alice.ctx, in, content); !db.MayBeCommitted(err) {
		t.Errorf("StoreUpload: got %v, want a lost response to its commit", err)
	}
	w.useDB(direct)
	w.exec("ALTER TABLE uploads_away RENAME TO uploads")
	equal(t, "storage", w.storage(w.alice), model.Storage{Used: 3, Quota: testQuota})
}

// The asset belongs to the space after the commit, so it must not be deleted with the error.
func TestApplyChanges_keeps_its_files_if_the_answer_to_the_commit_is_lost(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.space(w.alice, model.SpaceInfinite)
	direct := w.db
	w.useDB(w.losing(`INSERT INTO "space_files"`))
	_, err := w.Mutation().ApplyChanges(w.alice.ctx, model.ChangeSet{
		SpaceID: space.ID, Puts: []model.FilePut{{Path: "space/assets/hall.glb", Content: []byte("a hall")}},
	})
	if !db.MayBeCommitted(err) {
		t.Errorf("change set: got %v, want a lost response to its commit", err)
	}
	files, err := direct.Spaces().SpaceFiles(t.Context(), space.ID)
	check(t, err)
	if got, want := len(files), 1; got != want {
		t.Fatalf("files of the space: got %d, want %d", got, want)
	}
	if _, err := direct.Files().FileOf(t.Context(), w.alice.id, files[0].ResourceKey); err != nil {
		t.Errorf("file of the asset: got %v, want it in the account", err)
	}
}

// Without the response the change set would fail, and nothing would delete the file, because
// nothing knows its key.
func TestApplyChanges_leaves_no_file_if_the_answer_to_its_commit_is_lost(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.space(w.alice, model.SpaceInfinite)
	w.useDB(w.losing(`INSERT INTO "files"`))
	_, err := w.Mutation().ApplyChanges(w.alice.ctx, model.ChangeSet{
		SpaceID: space.ID, Puts: []model.FilePut{{Path: "space/assets/hall.glb", Content: []byte("a hall")}},
	})
	check(t, err)
	files, err := w.db.Spaces().SpaceFiles(t.Context(), space.ID)
	check(t, err)
	if got, want := len(files), 1; got != want {
		t.Errorf("files of the space: got %d, want %d", got, want)
	}
}
