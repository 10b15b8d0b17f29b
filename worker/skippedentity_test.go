package worker

import (
	"errors"
	"testing"
	"time"

	"portico/db"
	"portico/model"
)

// Another transaction has kept the entity locked for longer than the change of the file has waited.
func TestPurge_marks_entities_that_a_change_of_their_file_has_skipped(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	file := w.addFile(t, "scan.ply", "ply\n")
	space := model.NewSpace(w.user.ID, model.CreateSpace{}, nil)
	entity := model.NewEntity(space.ID, "scan", model.TypeUserModel, model.Object(`{"glbUrl":"https://files.example/`+file.StorageKey()+`"}`))
	if err := w.db.Spaces().AddSpace(t.Context(), space, []*model.Entity{entity}); err != nil {
		t.Fatalf("add space: %v", err)
	}
	version := func() string {
		t.Helper()
		versions, err := w.db.History().EntityVersions(t.Context(), space.ID)
		if err != nil || len(versions) != 1 {
			t.Fatalf("versions of the entities: got %v and %v, want one", versions, err)
		}
		return versions[0].Version
	}
	impatient, err := db.Open(t.Context(), db.Options{URL: w.url, Logger: w.log, StatementTimeout: 200 * time.Millisecond})
	if err != nil {
		t.Fatalf("open the database: %v", err)
	}
	t.Cleanup(func() { _ = impatient.Close() })
	before := version()
	err = w.db.InTx(t.Context(), func(tx *db.DB) error {
		_, locked := tx.Entities().LockEntities(t.Context(), space.ID, []string{entity.EntityID})
		return errors.Join(locked, impatient.Files().SetFailure(t.Context(), file, model.StepPoster, "too dark"))
	})
	if err != nil {
		t.Fatalf("change the file: %v", err)
	}
	if got := version(); got != before {
		t.Errorf("version of the locked entity: got %s, want %s", got, before)
	}
	if err := w.idle(t).purge(t.Context(), time.Now()); err != nil {
		t.Fatalf("purge: got %v, want nil", err)
	}
	if got := version(); got == before {
		t.Errorf("version after the purge: got %s, want another", got)
	}
}
