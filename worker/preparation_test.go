package worker

import (
	"context"
	"io"
	"path"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"portico/db"
	"portico/model"
	"portico/storage"
)

// prepare makes one attempt at preparing a file and returns the result for River.
func (w *world) prepare(ctx context.Context, worker *Worker, file *model.File, attempt int) error {
	return (&fileWorker[preparationArgs]{w: worker, work: preparationWork}).Work(ctx, &river.Job[preparationArgs]{
		JobRow: &rivertype.JobRow{ID: 1, Kind: db.PreparationKind, Attempt: attempt, CreatedAt: time.Now()},
		Args:   preparationArgs{fileArgsOf(file)},
	})
}

// prepared prepares the file in one attempt and returns it.
func (w *world) prepared(t *testing.T, worker *Worker, file *model.File) *model.File {
	t.Helper()
	if err := w.prepare(t.Context(), worker, file, 1); err != nil {
		t.Fatalf("prepare: got %v, want nil", err)
	}
	w.checkWorkedCleanly(t)
	return w.file(t, file)
}

// file reads the file again.
func (w *world) file(t *testing.T, file *model.File) *model.File {
	t.Helper()
	file, err := w.db.Files().FileOf(t.Context(), file.UserID, file.ResourceKey)
	if err != nil {
		t.Fatalf("file: %v", err)
	}
	return file
}

// A row for each kind of file.
func TestPreparation_finds_the_facts_and_draws_the_poster(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, script string
		want         model.FileFacts
		poster       bool
	}{
		{"scan.ply", "good", model.FileFacts{Format: "ply", Splats: 3}, true},
		{"photo.jpg", "good", model.FileFacts{Format: "jpeg", Width: 640, Height: 480}, true},
		{"room.glb", "good", model.FileFacts{Format: "other"}, false},
		{"notes.json", "panic", model.FileFacts{Format: "other"}, false}, // no child is started
		{"scan.spz", "fault", model.FileFacts{Format: "invalid", Fault: `Entry "data.bin": is cut short`}, false},
		{"half.spz", "fault in itself", model.FileFacts{Format: "invalid", Fault: `"half.spz" is cut short`}, false},
		{"odd.spz", "fault on .jpg", model.FileFacts{Format: "spz", Splats: 3}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			added := w.addFile(t, test.name, "sss")
			file := w.prepared(t, w.idle(t, withScript(test.script)), added)
			if diff := cmp.Diff(&test.want, file.Facts); diff != "" {
				t.Errorf("facts (-want +got):\n%s", diff)
			}
			want := map[string]int64{file.StorageKey(): 3}
			if test.poster {
				want[file.PosterStorageKey()] = int64(len("made of sss"))
			}
			w.awaitObjects(t, want)
			if got := isDerived(file, file.PosterKey, "posters/*/poster.jpg"); got != test.poster {
				t.Errorf("poster: got %q, want one to be %v", file.PosterKey, test.poster)
			}
			if got, want := file.DerivedBytes, int64(len("made of sss")); test.poster && got != want {
				t.Errorf("derived bytes: got %d, want %d", got, want)
			}
		})
	}
}

func TestPreparation_again_changes_nothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	added := w.addFile(t, "scan.ply", "sss")
	once := w.prepared(t, w.idle(t, withScript("good")), added)
	again := w.prepared(t, w.idle(t, withScript("panic")), added) // no child is started
	if diff := cmp.Diff(once, again, sameJob); diff != "" {
		t.Errorf("file (-once +again):\n%s", diff)
	}
}

// Objects in a remote store are copied: all of them if a file has several.
func TestPreparation_of_a_file_in_a_remote_store(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.submitCapture(t, capture)
	if err := w.attempt(t, w.idle(t), job); err != nil {
		t.Fatalf("work: got %v, want nil", err)
	}
	worker := w.idle(t, withScript("good"), func(o *Options) { o.Store = far{w.store} })
	tools := worker.newAttemptTools("test", w.log)
	t.Cleanup(tools.close)
	file := w.awaitCompleted(t, job.ID)
	var done, total int64
	at, err := tools.openLocally(t.Context(), file.StorageKey(), true, func(d, all int64) { done, total = d, all })
	if err != nil {
		t.Fatalf("local: got %v, want nil", err)
	}
	for name, size := range captured(capture) {
		if got := fileSize(t, path.Join(path.Dir(at.path), name)); got != size {
			t.Errorf("copy of %s: got %d bytes, want %d", name, got, size)
		}
	}
	if done != file.Size || total != file.Size {
		t.Errorf("progress: got %d of %d, want %d of it", done, total, file.Size)
	}
}

// deleting is a store that deletes the file during Put.
type deleting struct {
	storage.Store
	db  *db.DB
	key string
}

// Put implements storage.Store.
func (s deleting) Put(ctx context.Context, key string, r io.Reader) (int64, error) {
	if _, err := s.db.Files().DeleteFile(ctx, s.key); err != nil {
		return 0, err
	}
	return s.Store.Put(ctx, key, r)
}

func TestPreparation_of_a_file_that_is_deleted_meanwhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	file := w.addFile(t, "scan.ply", "sss")
	worker := w.idle(t, withScript("good"), func(o *Options) { o.Store = deleting{w.store, w.db, file.ResourceKey} })
	if err := w.prepare(t.Context(), worker, file, 1); err != nil {
		t.Errorf("prepare: got %v, want nil", err)
	}
	w.awaitObjects(t, map[string]int64{file.StorageKey(): 3}) // deleting the file removes this object
	if err := w.prepare(t.Context(), worker, file, 1); err != nil {
		t.Errorf("prepare what is not there: got %v, want nil", err)
	}
}

// The bytes may be removed before the row.
func TestPreparation_of_a_file_whose_bytes_are_removed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	file := w.addFile(t, "scan.ply", "sss")
	if err := w.store.Delete(t.Context(), file.StorageKey()); err != nil {
		t.Fatalf("delete: %v", err)
	}
	if err := w.prepare(t.Context(), w.idle(t, withScript("good")), file, 1); err != nil {
		t.Errorf("prepare: got %v, want nil: no other attempt helps", err)
	}
	if got := w.file(t, file); got.Facts != nil {
		t.Errorf("facts: got %+v, want none", got.Facts)
	}
}

func TestPreparation_makes_no_poster_that_does_not_fit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user.Quota = int64(3 + len("made of sss") - 1)
	if err := w.db.Accounts().UpdateUser(t.Context(), w.user); err != nil {
		t.Fatalf("update user: %v", err)
	}
	file := w.prepared(t, w.idle(t, withScript("good")), w.addFile(t, "scan.ply", "sss"))
	if file.PosterKey != "" || file.DerivedBytes != 0 || file.Facts == nil {
		t.Errorf("file: got %+v, want facts and no poster", file)
	}
	w.awaitObjects(t, map[string]int64{file.StorageKey(): 3})
}

// The preparation finds a damaged result after the job has ended. The message reports it.
func TestPreparation_of_a_damaged_result(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.submitCapture(t, capture)
	if err := w.attempt(t, w.idle(t), job); err != nil {
		t.Fatalf("work: got %v, want nil", err)
	}
	file := w.awaitCompleted(t, job.ID)
	const want = `Completed. The file is damaged and may not be viewable: Entry "data.bin": is cut short`
	for range 2 {
		w.prepared(t, w.idle(t, withScript("fault")), file)
		if got := w.job(t, job.ID); got.Message != want || got.Status != model.JobCompleted || got.Progress != 100 {
			t.Errorf("job: got %s at %v with %q, want it completed with %q", got.Status, got.Progress, got.Message, want)
		}
	}
}

func TestPreparation_of_a_sound_result(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.submitCapture(t, capture)
	if err := w.attempt(t, w.idle(t), job); err != nil {
		t.Fatalf("work: got %v, want nil", err)
	}
	before := w.job(t, job.ID)
	w.prepared(t, w.idle(t, withScript("good")), w.awaitCompleted(t, job.ID))
	if diff := cmp.Diff(before, w.job(t, job.ID), sameJob); diff != "" {
		t.Errorf("job (-before +after):\n%s", diff)
	}
}

func TestHasPoster_excludes_meshes_without_Gaussians(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		facts model.FileFacts
		want  bool
	}{
		{model.FileFacts{Format: model.FormatGLB, Splats: 3}, true},
		{model.FileFacts{Format: model.FormatGLTF, Splats: 3, Triangles: 1}, true},
		{model.FileFacts{Format: model.FormatGLB, Triangles: 1}, false},
		{model.FileFacts{Format: model.FormatPNG}, true},
		{model.FileFacts{Format: model.FormatMeshPLY}, false},
		{model.FileFacts{Format: model.FormatInvalid, Splats: 3}, false},
	} {
		if got := test.facts.HasPoster(); got != test.want {
			t.Errorf("%+v: got %v, want %v", test.facts, got, test.want)
		}
	}
}

// The view and the collision of a file follow its preparation without a request. Posters from the
// start that the collision has found replace the first posters.
func TestPreparation_is_followed_by_a_view_and_a_collision(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.start(t, withScript("good"))
	file := w.addFile(t, "scan.ply", "sss")
	if err := w.db.Queue().EnqueuePreparation(t.Context(), file.ResourceKey); err != nil {
		t.Fatalf("enqueue: %v", err)
	}
	whole := w.awaitFile(t, file, "a view, a collision and posters from its start", func(f *model.File) bool {
		return f.ViewKey != "" && f.CollisionKey != "" && f.Start != nil && f.HasPosters()
	})
	want := viewOf(whole, "sss")
	want[whole.CollisionStorageKey()] = int64(len("made of sss"))
	want[path.Dir(whole.CollisionStorageKey())+"/collision.voxel.bin"] = int64(len("voxels"))
	want[whole.PosterStorageKey()] = int64(len("made of sss"))
	want[path.Dir(whole.PosterStorageKey())+"/poster-1280.jpg"] = int64(len("from [1 2 3]"))
	want[path.Dir(whole.PosterStorageKey())+"/turntable.jpg"] = int64(len("around: true"))
	w.awaitObjects(t, want)
	// A streamed SOG needs no view, so its preparation makes only a poster.
	streamed := w.addFile(t, "lod.ply", "sss")
	if err := w.db.Files().SetFacts(t.Context(), streamed.ResourceKey, &model.FileFacts{Format: model.FormatStreamedSOG, Splats: 3}); err != nil {
		t.Fatalf("set facts: %v", err)
	}
	prepared := w.prepared(t, w.idle(t, withScript("good")), streamed)
	if prepared.ViewKey != "" || prepared.NeedsView() {
		t.Errorf("streamed SOG: got %+v, want no view", prepared)
	}
}
