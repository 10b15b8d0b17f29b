package worker

import (
	"errors"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"portico/db"
	"portico/model"
	"portico/splat/splattest"
)

func fileSize(t *testing.T, at string) int64 {
	t.Helper()
	info, err := os.Stat(at)
	if err != nil {
		t.Fatalf("look at a file: %v", err)
	}
	return info.Size()
}

// makeView makes the view in one attempt and returns the file.
func (w *world) makeView(t *testing.T, worker *Worker, file *model.File) *model.File {
	t.Helper()
	err := (&fileWorker[viewArgs]{w: worker, work: viewWork}).Work(t.Context(), &river.Job[viewArgs]{
		JobRow: &rivertype.JobRow{ID: 1, Kind: db.ViewKind, Attempt: 1}, Args: viewArgs{fileArgsOf(file)},
	})
	if err != nil {
		t.Fatalf("make a view: got %v, want nil", err)
	}
	w.checkWorkedCleanly(t)
	return w.file(t, file)
}

// One row for each format.
func TestView_is_a_streamed_SOG_of_every_format(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		facts *model.FileFacts // the facts that are stored before
		made  string           // what the view is made of
	}{
		{"scan.spz", nil, "sss"},
		{"scan.ply", nil, "sss"},
		{"scan.splat", &model.FileFacts{Format: model.FormatSplat, Splats: 3}, "sss"},
		{"scan.sog", &model.FileFacts{Format: model.FormatSOG, Splats: 3}, "sss"},
		{"scan.lcc2", &model.FileFacts{Format: model.FormatLCC2, Splats: 3_000_000, Levels: []int64{3_000_000, 1_500_000}}, "sss"},
		// Entities that show glTF are not rotated, so the view is rotated.
		{"scan.glb", &model.FileFacts{Format: model.FormatGLB, Splats: 3}, "sss rotate 0,0,180"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			added := w.addFile(t, test.name, "sss")
			if test.facts != nil {
				if err := w.db.Files().SetFacts(t.Context(), added.ResourceKey, test.facts); err != nil {
					t.Fatalf("set facts: %v", err)
				}
			}
			file := w.makeView(t, w.idle(t, withScript("good")), added)
			if !isDerived(file, file.ViewKey, "view/*/lod-meta.json") || file.Facts == nil {
				t.Errorf("view: got %q with facts %v, want one with some", file.ViewKey, file.Facts)
			}
			bytes := int64(-3) // of the file itself
			want := viewOf(file, test.made)
			want[file.StorageKey()] = 3
			for _, size := range want {
				bytes += size
			}
			w.awaitObjects(t, want)
			if file.DerivedBytes != bytes {
				t.Errorf("derived bytes: got %d, want %d", file.DerivedBytes, bytes)
			}
			// A second attempt starts no child.
			if again := w.makeView(t, w.idle(t, withScript("panic")), added); again.DerivedBytes != bytes || again.ViewKey != file.ViewKey {
				t.Errorf("again: got %+v, want no change", again)
			}
		})
	}
}

// isDerived reports whether a key is the key of an object that was derived from the file. The
// pattern is of path.Match, and relative to the derived objects.
func isDerived(file *model.File, key, pattern string) bool {
	match, err := path.Match(file.DerivedRoot()+pattern, key)
	return match && err == nil
}

// viewOf returns the objects of a file, and of its view that was made from the content.
func viewOf(file *model.File, body string) map[string]int64 {
	objects := map[string]int64{file.StorageKey(): int64(len(body))}
	// Each view is made without what is far outside, and then as the body says.
	content, edits, _ := strings.Cut(body, " ")
	if edits != "" {
		edits = " " + edits
	}
	for name, size := range streamed(content + " filter-outliers " + edits) {
		objects[path.Dir(file.ViewStorageKey())+"/"+name] = size
	}
	return objects
}

func TestView_is_not_made(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, file, body, script string
		quota                    int64
	}{
		{"of a mesh", "mesh.ply", "no Gaussians", "good", quota},
		{"of an image", "scan.jpg", "sss", "panic", quota},
		{"of a damaged file", "scan.spz", "sss", "fault", quota},
		{"where it does not fit", "scan.spz", "sss", "good", int64(3 + len("made of sss") + 2 + 5 - 1)},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.user.Quota = test.quota
			if err := w.db.Accounts().UpdateUser(t.Context(), w.user); err != nil {
				t.Fatalf("update user: %v", err)
			}
			body := strings.ReplaceAll(test.body, "Gaussians", "-")
			file := w.makeView(t, w.idle(t, withScript(test.script)), w.addFile(t, test.file, body))
			if file.ViewKey != "" || file.DerivedBytes != 0 {
				t.Errorf("file: got %+v, want no view", file)
			}
			w.awaitObjects(t, map[string]int64{file.StorageKey(): int64(len(body))})
		})
	}
}

func TestView_of_a_file_that_is_deleted_meanwhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	file := w.addFile(t, "scan.spz", "sss")
	worker := w.idle(t, withScript("good"), func(o *Options) { o.Store = deleting{w.store, w.db, file.ResourceKey} })
	err := worker.runFileJob(t.Context(), &rivertype.JobRow{ID: 1, Attempt: 1}, fileArgsOf(file), viewWork)
	if err != nil {
		t.Errorf("make a view: got %v, want nil", err)
	}
	w.awaitObjects(t, map[string]int64{file.StorageKey(): 3})
}

// A worker was paused until another worker had prepared its file. When it continues, its store
// fails.
func TestView_that_another_attempt_has_made_stays(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	file := w.addFile(t, "scan.spz", "sss")
	makeView := func(worker *Worker) error {
		return worker.runFileJob(t.Context(), &rivertype.JobRow{ID: 1, Attempt: 1}, fileArgsOf(file), viewWork)
	}
	other := w.idle(t, withScript("good"))
	late := w.idle(t, withScript("good"), func(o *Options) {
		o.Store = trouble{w.store, func() error {
			if err := makeView(other); err != nil {
				t.Errorf("the other attempt: got %v, want nil", err)
			}
			return errors.New("the disk hums")
		}}
	})
	if err := makeView(late); err == nil {
		t.Error("make a view: got nil, want the store's error")
	}
	w.awaitObjects(t, viewOf(w.file(t, file), "sss"))
}

// A capture over the asynchronous threshold has its view when its job is done.
func TestFile_gets_a_view(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.submit(t, "scan.ply", strings.NewReader("sss"))
	if err := w.attempt(t, w.idle(t, withScript("good")), job); err != nil {
		t.Fatalf("work: got %v, want nil", err)
	}
	file := w.awaitCompleted(t, job.ID)
	if !isDerived(file, file.ViewKey, "view/*/lod-meta.json") || file.Facts == nil || file.Facts.Splats != 3 {
		t.Errorf("file: got %+v, want facts and a view", file)
	}
	w.awaitObjects(t, viewOf(file, "sss"))
	w.checkWorkedCleanly(t)
}

// A view that an outage has delayed is made after the outage.
func TestFile_gets_its_view_after_an_outage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.submit(t, "scan.ply", strings.NewReader("sss"))
	away := w.idle(t, withScript("good"), func(o *Options) { o.Store = lost{w.store} })
	if _, ok := errors.AsType[*river.JobSnoozeError](w.attempt(t, away, job)); !ok {
		t.Errorf("in the outage: got %s, want the job to wait", w.job(t, job.ID).Status)
	}
	if err := w.attempt(t, w.idle(t, withScript("good")), job); err != nil {
		t.Fatalf("after it: got %v, want nil", err)
	}
	if file := w.awaitCompleted(t, job.ID); file.ViewKey == "" {
		t.Errorf("file: got %+v, want a view", file)
	}
}

// A job completes although its view could not be made.
func TestFile_without_a_view_completes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, script string
		quota        int64
	}{
		{"after trouble", "panic on .json", quota},
		{"for a fault", "fault", quota},
		{"for want of storage", "good", 3},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.user.Quota = test.quota
			if err := w.db.Accounts().UpdateUser(t.Context(), w.user); err != nil {
				t.Fatalf("update user: %v", err)
			}
			job := w.submit(t, "scan.ply", strings.NewReader("sss"))
			if err := w.attempt(t, w.idle(t, withScript(test.script)), job); err != nil {
				t.Fatalf("work: got %v, want nil", err)
			}
			file := w.awaitCompleted(t, job.ID)
			if file.ViewKey != "" || file.DerivedBytes != 0 || file.Facts == nil {
				t.Errorf("file: got %+v, want facts and no view", file)
			}
			w.awaitObjects(t, map[string]int64{file.StorageKey(): 3})
		})
	}
}

// Other uploads have used the free storage meanwhile, so the view is removed.
func TestFile_whose_view_does_not_fit_any_more(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.submit(t, "scan.ply", strings.NewReader("sss"))
	store := stallAfter(w.store, 0)
	w.start(t, withScript("good"), func(o *Options) { o.Store = store })
	<-store.stalled
	w.user.Quota = 5
	if err := w.db.Accounts().UpdateUser(t.Context(), w.user); err != nil {
		t.Fatalf("update user: %v", err)
	}
	close(store.released)
	file := w.awaitCompleted(t, job.ID)
	if file.ViewKey != "" {
		t.Errorf("view: got %q, want none", file.ViewKey)
	}
	w.awaitObjects(t, map[string]int64{file.StorageKey(): 3})
}

func TestFile_whose_view_is_canceled_leaves_nothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.submit(t, "scan.ply", strings.NewReader("sss"))
	store := stallAfter(w.store, 0)
	w.start(t, withScript("good"), func(o *Options) { o.Store = store })
	<-store.stalled
	w.cancel(t, job)
	w.awaitObjects(t, nil)
	w.checkNothingKept(t, job)
	w.checkWorkedCleanly(t)
}

// A zip with one capture becomes that capture, with its view.
func TestZip_with_one_capture_gets_a_view(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.submitZip(t, splattest.Entry{Name: "c/a.spz", Body: []byte("\x1f\x8bsss")})
	if err := w.attempt(t, w.idle(t, withScript("good")), job); err != nil {
		t.Fatalf("work: got %v, want nil", err)
	}
	file, upload := w.awaitCompleted(t, job.ID), w.upload(t, job)
	if want := upload.ExtractedRoot() + "a.spz"; file.ResourceKey != want || file.Objects != 1 {
		t.Errorf("file: got %+v, want the resource key %q", file, want)
	}
	if !isDerived(file, file.ViewKey, "view/*/lod-meta.json") {
		t.Errorf("view: got %q, want one of the file", file.ViewKey)
	}
}
