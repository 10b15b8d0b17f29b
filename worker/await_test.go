package worker

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"portico/db"
	"portico/model"
	"portico/splat/splattest"
)

// job reads the job again.
func (w *world) job(t testing.TB, id string) *model.Job {
	t.Helper()
	job, err := w.db.Jobs().Job(t.Context(), id)
	if err != nil {
		t.Fatalf("job: %v", err)
	}
	return job
}

func (w *world) upload(t testing.TB, job *model.Job) *model.Upload {
	t.Helper()
	upload, err := w.db.Uploads().Upload(t.Context(), job.UploadID)
	if err != nil {
		t.Fatalf("upload: %v", err)
	}
	return upload
}

// timeout is the maximum wait for a condition that takes seconds on an idle machine.
const timeout = 2 * time.Minute

// await waits until the condition holds and returns the job.
func (w *world) await(t testing.TB, id, what string, is func(*model.Job) bool) *model.Job {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	defer cancel()
	changed := w.db.Watch(ctx, db.JobTopic(id))
	for {
		job := w.job(t, id)
		if is(job) {
			return job
		}
		if job.Status.IsTerminal() {
			t.Fatalf("job: got %+v, want it to be %s", job, what)
		}
		select {
		case <-changed:
		case <-time.After(time.Second): // an announcement may be lost
		case <-ctx.Done():
			t.Fatalf("job: got %+v, want it to be %s in time", job, what)
		}
	}
}

func (w *world) awaitEnd(t testing.TB, id string) *model.Job {
	t.Helper()
	return w.await(t, id, "ended", func(job *model.Job) bool { return job.Status.IsTerminal() })
}

// awaitCompleted waits until the job has completed and returns its file.
func (w *world) awaitCompleted(t testing.TB, id string) *model.File {
	t.Helper()
	job := w.awaitEnd(t, id)
	if job.Status != model.JobCompleted || job.Progress != 100 || job.Error != "" || job.EndedAt.IsZero() {
		t.Fatalf("job: got %+v, want it completed at 100 with no error and an end", job)
	}
	file, err := w.db.Files().FileOf(t.Context(), w.user.ID, job.ResultKey)
	if err != nil {
		t.Fatalf("file of the job: %v", err)
	}
	return file
}

// objects returns the size of every object in the store by its key.
func (w *world) objects(t testing.TB) map[string]int64 {
	t.Helper()
	all := map[string]int64{}
	for object, err := range w.store.List(t.Context(), "") {
		if err != nil {
			t.Fatalf("list: %v", err)
		}
		all[object.Key] = object.Size
	}
	return all
}

// checkKept checks that the store holds exactly the wanted objects of the file, given by
// their names below its folder, and that the account is charged for their sizes.
func (w *world) checkKept(t testing.TB, file *model.File, want map[string]int64) {
	t.Helper()
	folder, total := filepath.Dir(file.StorageKey())+"/", int64(0)
	wanted := map[string]int64{}
	for name, size := range want {
		wanted[folder+name] = size
		total += size
	}
	w.awaitObjects(t, wanted)
	if file.Size != total || file.Objects != len(want) {
		t.Errorf("file: got %d bytes in %d objects, want %d in %d", file.Size, file.Objects, total, len(want))
	}
	w.awaitUsed(t, total)
}

// awaitObjects waits until the store holds exactly these objects and receives no others. It
// waits, because a job removes its upload only after it has ended.
func (w *world) awaitObjects(t testing.TB, want map[string]int64) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; {
		got, coming := w.objects(t), incoming(t, w.dir)
		if maps.Equal(got, want) && len(coming) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("objects: got %v and %d on their way, want %v and none", got, len(coming), want)
		}
		<-time.After(10 * time.Millisecond)
	}
}

// awaitUsed waits until the account uses exactly this many bytes and no upload reserves
// more. It waits, because an object counts until the store has removed it.
func (w *world) awaitUsed(t testing.TB, want int64) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; {
		got, err := w.db.Accounts().Storage(t.Context(), w.user.ID)
		if err != nil {
			t.Fatalf("storage: %v", err)
		}
		if got.Used == want && got.Reserved == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("storage: got %+v, want %d used and nothing reserved", got, want)
		}
		<-time.After(10 * time.Millisecond)
	}
}

// checkNothingKept checks that a failed job leaves no objects and no charge.
func (w *world) checkNothingKept(t testing.TB, job *model.Job) {
	t.Helper()
	if got := w.upload(t, job).State; got != model.UploadFailed {
		t.Errorf("upload: got %s, want failed", got)
	}
	if _, err := w.db.Files().FileOfUpload(t.Context(), job.UploadID); model.CodeOf(err) != model.CodeNotFound {
		t.Errorf("file: got %v, want none", err)
	}
	w.awaitObjects(t, nil)
	w.awaitUsed(t, 0)
}

// captured returns the objects that a job stores for a capture.
func captured(c splattest.Capture) map[string]int64 {
	kept := map[string]int64{c.ManifestName(): int64(len(c.ManifestJSON()))}
	for i := range c.Tiles {
		kept[splattest.TileName(i)] = c.TileBytes
	}
	return kept
}

// incoming returns the names of files that the store is receiving.
func incoming(t testing.TB, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(dir, "incoming"))
	if err != nil {
		t.Fatalf("read the incoming folder: %v", err)
	}
	names := make([]string, len(entries))
	for i, entry := range entries {
		names[i] = entry.Name()
	}
	return names
}

// sameJob compares times with Equal, because their locations may differ.
var sameJob = gocmp.Comparer(func(a, b model.Time) bool { return a.Equal(b.Time) })

// awaitFile waits until the condition holds and returns the file.
func (w *world) awaitFile(t *testing.T, file *model.File, what string, is func(*model.File) bool) *model.File {
	t.Helper()
	for deadline := time.Now().Add(timeout); ; <-time.After(20 * time.Millisecond) {
		got := w.file(t, file)
		if is(got) {
			return got
		}
		if time.Now().After(deadline) {
			t.Fatalf("file: got %+v, want it to be %s", got, what)
		}
	}
}

func posterMade(file *model.File) bool { return file.PosterKey != "" }
