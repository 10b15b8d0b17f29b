package worker

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/model"
	"portico/storage"
)

func TestPurge_removes_jobs_that_ended_long_ago(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	worker := w.idle(t)
	ended, running := w.submitCapture(t, capture), w.submitCapture(t, capture)
	if err := w.attempt(t, worker, ended); err != nil {
		t.Fatalf("work: got %v, want nil", err)
	}
	w.claim(t, running)
	file := w.awaitCompleted(t, ended.ID)
	for _, test := range []struct {
		retention time.Duration
		want      model.Code
	}{{time.Hour, ""}, {0, model.CodeNotFound}} {
		worker.JobRetention = test.retention
		if err := worker.purge(t.Context(), time.Now()); err != nil {
			t.Fatalf("purge: got %v, want nil", err)
		}
		if _, err := w.db.Jobs().Job(t.Context(), ended.ID); model.CodeOf(err) != test.want {
			t.Errorf("job kept for %v: got %v, want code %q", test.retention, err, test.want)
		}
	}
	w.job(t, running.ID) // a running job is kept at any age
	if _, err := w.db.Files().FileOf(t.Context(), w.user.ID, file.ResourceKey); err != nil {
		t.Errorf("file of the job: got %v, want it to stay", err)
	}
}

// promise stores an upload, with its bytes, that expires at the given time.
func (w *world) promise(t *testing.T, expires time.Time) *model.Upload {
	t.Helper()
	upload := model.NewUpload(w.user.ID, model.CreateUpload{FileName: "a.ply", FileSize: 3, ContentType: "a/b"})
	upload.ExpiresAt = model.Time{Time: expires}
	if err := w.db.Uploads().AddUpload(t.Context(), upload); err != nil {
		t.Fatalf("add upload: %v", err)
	}
	if _, err := w.store.Put(t.Context(), upload.StorageKey(), strings.NewReader("ply")); err != nil {
		t.Fatalf("put: %v", err)
	}
	return upload
}

func TestPurge_discards_uploads_that_nobody_confirmed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	now := time.Now()
	for _, test := range []struct {
		name    string
		expires time.Time
		want    model.UploadState
	}{
		{"long expired", now.Add(-25 * time.Hour), model.UploadDiscarded},
		{"expired, but maybe on its way", now.Add(-23 * time.Hour), model.UploadPending},
		{"not expired", now.Add(time.Minute), model.UploadPending},
	} {
		upload := w.promise(t, test.expires)
		if err := w.idle(t).purge(t.Context(), time.Now()); err != nil {
			t.Fatalf("purge: got %v, want nil", err)
		}
		got, err := w.db.Uploads().Upload(t.Context(), upload.ID)
		if err != nil || got.State != test.want {
			t.Errorf("%s: got %+v, %v, want it %s", test.name, got, err, test.want)
		}
		_, err = w.store.Stat(t.Context(), upload.StorageKey())
		if kept := err == nil; kept != (test.want == model.UploadPending) {
			t.Errorf("%s: object kept: got %v, want it to follow the upload", test.name, kept)
		}
	}
}

// put stores small objects under the keys.
func (w *world) put(t *testing.T, keys ...string) {
	t.Helper()
	for _, key := range keys {
		if _, err := w.store.Put(t.Context(), key, strings.NewReader("x")); err != nil {
			t.Fatalf("put: %v", err)
		}
	}
}

func (w *world) addRemovals(t *testing.T, due time.Time, keys ...string) {
	t.Helper()
	if err := w.db.Files().ScheduleRemovals(t.Context(), due, keys...); err != nil {
		t.Fatalf("add removals: %v", err)
	}
}

func TestPurge_removes_objects_that_are_due(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put(t, "1/due.zip", "1/due/a", "1/due/b/c", "1/due.zip.other", "1/later.zip", "1/later/a")
	w.addRemovals(t, time.Now().Add(-time.Second), "1/due.zip", "1/due/", "1/never-there")
	w.addRemovals(t, time.Now().Add(time.Hour), "1/later.zip", "1/later/")
	if err := w.idle(t).purge(t.Context(), time.Now()); err != nil {
		t.Fatalf("purge: got %v, want nil", err)
	}
	got := w.objects(t)
	if want := []string{"1/due.zip.other", "1/later.zip", "1/later/a"}; len(got) != len(want) {
		t.Errorf("objects: got %v, want %q", got, want)
	}
	if due, err := w.db.Files().DueRemovals(t.Context(), 10); err != nil || len(due) != 0 {
		t.Errorf("removals: got %q, %v, want all that were due struck out", due, err)
	}
}

// A client may send the object again until its removal is due, so its key stays on the list.
func TestRemove_deletes_only_keys_that_are_due(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	worker := w.idle(t)
	w.put(t, "1/early")
	due := time.Now().Add(300 * time.Millisecond)
	w.addRemovals(t, due, "1/early")
	if _, err := worker.remover().remove(t.Context(), "1/early"); err != nil {
		t.Fatalf("remove: got %v, want nil", err)
	}
	w.put(t, "1/early") // the client sends it again
	for deadline := time.Now().Add(time.Minute); len(w.objects(t)) > 0; {
		if err := worker.purge(t.Context(), time.Now()); err != nil {
			t.Fatalf("purge: got %v, want nil", err)
		}
		if time.Now().After(deadline) {
			t.Fatal("objects: got one, want none once it is due")
		}
	}
	if time.Now().Before(due) {
		t.Error("removed before it was due, want it to stay written down until then")
	}
}

func TestPurge_removes_visits_of_long_ago(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.exec(t, `INSERT INTO spaces (id, owner_id, title, description, type, privacy) VALUES ('s', '`+w.user.ID+`', 's', '', 'infinite', 'Public')`)
	w.exec(t, `INSERT INTO visits (space_id, viewer, counted_at) VALUES ('s', 'old', now() - interval '31 minutes'), ('s', 'new', now())`)
	if err := w.idle(t).purge(t.Context(), time.Now()); err != nil {
		t.Fatalf("purge: got %v, want nil", err)
	}
	if again, err := w.db.Spaces().PurgeVisits(t.Context(), 10); err != nil || again != 0 {
		t.Errorf("purged again: got %d, %v, want none left", again, err)
	}
}

// stubborn is a store that fails to delete some keys.
type stubborn struct{ storage.Store }

// Delete implements storage.Store.
func (s stubborn) Delete(ctx context.Context, key string) error {
	if strings.HasPrefix(key, "1/stubborn") {
		return errors.New("the disk hums")
	}
	return s.Store.Delete(ctx, key)
}

// Objects that cannot be removed must not block the removal of others.
func TestPurge_continues_after_a_failed_removal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	keys := make([]string, storeBatch+1)
	for i := range keys {
		keys[i] = fmt.Sprintf("1/stubborn%d", i)
	}
	w.addRemovals(t, time.Now().Add(-time.Hour), keys...)
	w.put(t, "1/easy")
	w.addRemovals(t, time.Now().Add(-time.Second), "1/easy")
	worker := w.idle(t, func(o *Options) { o.Store = stubborn{w.store} })
	if err := worker.purge(t.Context(), time.Now()); err != nil {
		t.Fatalf("purge: got %v, want nil", err)
	}
	if got := w.objects(t); len(got) != 0 {
		t.Errorf("objects: got %v, want none", got)
	}
}

func TestPurge_ends_with_its_context(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addRemovals(t, time.Now().Add(-time.Second), "1/a")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := w.idle(t).purge(ctx, time.Now()); !errors.Is(err, context.Canceled) {
		t.Errorf("purge: got %v, want %v", err, context.Canceled)
	}
}

func TestInBatches_stops_after_a_partial_batch(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		batches []int
		err     error
		want    int // calls
	}{
		{"stops at nothing", []int{0}, nil, 1},
		{"stops at less than a batch", []int{purgeBatch, purgeBatch, 1}, nil, 3},
		{"stops at an error", []int{purgeBatch, purgeBatch}, errors.New("no"), 2},
	} {
		calls := 0
		err := inBatches(purgeBatch, func() (int, error) {
			calls++
			if calls == len(test.batches) {
				return test.batches[calls-1], test.err
			}
			return test.batches[calls-1], nil
		})
		if calls != test.want || !errors.Is(err, test.err) {
			t.Errorf("%s: got %d calls and %v, want %d and %v", test.name, calls, err, test.want, test.err)
		}
	}
}

// Several workers share the jobs and the purge: each job is done once.
func TestWorkers_race(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var jobs []*model.Job
	for range 12 {
		jobs = append(jobs, w.submitCapture(t, capture))
	}
	w.put(t, "1/due/a", "1/due.zip")
	w.addRemovals(t, time.Now().Add(-time.Second), "1/due/", "1/due.zip")
	first, second := w.start(t), w.start(t)
	var purges sync.WaitGroup
	for range 5 {
		for _, worker := range []*Worker{first, second} {
			purges.Go(func() {
				if err := worker.purge(t.Context(), time.Now()); err != nil {
					t.Errorf("purge: got %v, want nil", err)
				}
			})
		}
	}
	purges.Wait()
	for _, job := range jobs {
		w.awaitCompleted(t, job.ID)
		if got := w.job(t, job.ID); got.Attempt != 1 {
			t.Errorf("job: got %d attempts, want 1", got.Attempt)
		}
	}
	kept := map[string]int64{}
	for _, job := range jobs {
		for name, size := range captured(capture) {
			kept[w.upload(t, job).StorageRoot()+name] = size
		}
	}
	w.awaitObjects(t, kept)
}

// River starts the purge when a worker starts.
func TestWorker_starts_the_purge(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put(t, "1/due")
	w.addRemovals(t, time.Now().Add(-time.Second), "1/due")
	w.start(t)
	w.start(t)
	w.awaitObjects(t, nil)
}
