package worker

import (
	"path"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"portico/db"
	"portico/model"
)

// makeCollision makes the collision in one attempt and returns the file.
func (w *world) makeCollision(t *testing.T, worker *Worker, file *model.File) *model.File {
	t.Helper()
	err := (&fileWorker[collisionArgs]{w: worker, work: collisionWork}).Work(t.Context(), &river.Job[collisionArgs]{
		JobRow: &rivertype.JobRow{ID: 1, Kind: db.CollisionKind, Attempt: 1}, Args: collisionArgs{fileArgsOf(file)},
	})
	if err != nil {
		t.Fatalf("make a collision: got %v, want nil", err)
	}
	w.checkWorkedCleanly(t)
	return w.file(t, file)
}

// storeFacts stores the facts of a file of three Gaussians.
func (w *world) storeFacts(t *testing.T, file *model.File) {
	t.Helper()
	if err := w.db.Files().SetFacts(t.Context(), file.ResourceKey, &model.FileFacts{Format: "ply", Splats: 3}); err != nil {
		t.Fatalf("set facts: %v", err)
	}
}

func TestCollision_is_stored_with_its_start(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	added := w.addFile(t, "scan.ply", "sss")
	w.storeFacts(t, added)
	file := w.makeCollision(t, w.idle(t, withScript("good")), added)
	if !isDerived(file, file.CollisionKey, "collision/*/collision.voxel.json") {
		t.Errorf("key: got %q, want one of the file", file.CollisionKey)
	}
	start := &model.Start{Position: [3]float64{1, 2, 3}, Target: [3]float64{4, 2, 3}, Up: [3]float64{0, 1, 0}, Scene: model.SceneOutdoor}
	if diff := cmp.Diff(start, file.Start); diff != "" {
		t.Errorf("start (-want +got):\n%s", diff)
	}
	document, binary := int64(len("made of sss")), int64(len("voxels"))
	if file.DerivedBytes != document+binary {
		t.Errorf("derived bytes: got %d, want %d", file.DerivedBytes, document+binary)
	}
	w.awaitObjects(t, map[string]int64{
		file.StorageKey():          3,
		file.CollisionStorageKey(): document,
		path.Dir(file.CollisionStorageKey()) + "/collision.voxel.bin": binary,
	})
	// A second attempt starts no child.
	if again := w.makeCollision(t, w.idle(t, withScript("panic")), added); again.DerivedBytes != file.DerivedBytes {
		t.Errorf("again: got %+v, want no change", again)
	}
}

// The facts of converted captures contain the view that the exporter suggested.
func TestCollision_starts_at_the_view_of_the_facts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	added := w.addFile(t, "scan.ply", "sss")
	view := &model.SuggestedView{Position: [3]float64{7, 8, 9}, Target: [3]float64{7, 8, 10}}
	if err := w.db.Files().SetFacts(t.Context(), added.ResourceKey, &model.FileFacts{Format: "ply", Splats: 3, SuggestedView: view}); err != nil {
		t.Fatalf("set facts: %v", err)
	}
	start := w.makeCollision(t, w.idle(t, withScript("good")), added).Start
	if start == nil || start.Position != view.Position || start.Target != view.Target {
		t.Errorf("start: got %+v, want the view %+v", start, view)
	}
}

// A failed collision does not fail its file.
func TestCollision_is_not_made(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, script string
		facts        model.FileFacts
		quota        int64
	}{
		{"of a mesh", "panic", model.FileFacts{Format: "mesh-ply", Vertices: 3}, quota},
		{"of a damaged file", "panic", model.FileFacts{Format: "invalid", Fault: "cut off"}, quota},
		{"of what has nothing to walk on", "fault", model.FileFacts{Format: "ply", Splats: 3}, quota},
		{"where it does not fit", "good", model.FileFacts{Format: "ply", Splats: 3}, int64(3 + len("made of sss"))},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.user.Quota = test.quota
			if err := w.db.Accounts().UpdateUser(t.Context(), w.user); err != nil {
				t.Fatalf("update user: %v", err)
			}
			added := w.addFile(t, "scan.ply", "sss")
			if err := w.db.Files().SetFacts(t.Context(), added.ResourceKey, &test.facts); err != nil {
				t.Fatalf("set facts: %v", err)
			}
			file := w.makeCollision(t, w.idle(t, withScript(test.script)), added)
			if file.CollisionKey != "" || file.Start != nil || file.DerivedBytes != 0 {
				t.Errorf("file: got %+v, want no collision", file)
			}
			w.awaitObjects(t, map[string]int64{file.StorageKey(): 3})
		})
	}
}

func TestCollision_of_a_file_that_is_deleted_meanwhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	file := w.addFile(t, "scan.ply", "sss")
	w.storeFacts(t, file)
	worker := w.idle(t, withScript("good"), func(o *Options) { o.Store = deleting{w.store, w.db, file.ResourceKey} })
	err := worker.runFileJob(t.Context(), &rivertype.JobRow{ID: 1, Attempt: 1}, fileArgsOf(file), collisionWork)
	if err != nil {
		t.Errorf("make a collision: got %v, want nil", err)
	}
	w.awaitObjects(t, map[string]int64{file.StorageKey(): 3})
}
