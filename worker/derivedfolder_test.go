package worker

import (
	"context"
	"errors"
	"io"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"portico/db"
	"portico/model"
	"portico/storage"
)

// derivedWork are the kinds of work that derive objects, with the object that each stores last.
var derivedWork = []struct {
	name string
	work fileWork
	last string
	key  func(*model.File) string // of the derived object, empty for none
}{
	{"a view", viewWork, "lod-meta.json", func(f *model.File) string { return f.ViewKey }},
	{"a collision", collisionWork, collisionName, func(f *model.File) string { return f.CollisionKey }},
	{"posters", preparationWork, posterName, func(f *model.File) string { return f.PosterKey }},
}

// afterPut is a store that calls a function of the test after Put of an object with this name.
type afterPut struct {
	storage.Store
	name string
	then func()
}

// Put implements storage.Store.
func (s afterPut) Put(ctx context.Context, key string, r io.Reader) (int64, error) {
	n, err := s.Store.Put(ctx, key, r)
	if path.Base(key) == s.name {
		s.then()
	}
	return n, err
}

// One attempt has stored all objects when another one, whose store fails, gives the file up. The
// first attempt then adds its objects to the row.
func TestDerived_objects_outlive_the_failure_of_another_attempt(t *testing.T) {
	t.Parallel()
	for _, test := range derivedWork {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			file := w.addFile(t, "scan.ply", "sss")
			w.storeFacts(t, file)
			attempt := func(worker *Worker, number int) {
				t.Helper()
				row := &rivertype.JobRow{ID: 1, Attempt: number}
				if err := worker.runFileJob(t.Context(), row, fileArgsOf(file), test.work); err != nil {
					t.Errorf("attempt %d: got %v, want nil", number, err)
				}
			}
			late := w.idle(t, withScript("good"), func(o *Options) {
				o.Store = trouble{w.store, func() error { return errors.New("the disk hums") }}
			})
			var stored map[string]int64
			first := w.idle(t, withScript("good"), func(o *Options) {
				o.Store = afterPut{w.store, test.last, func() {
					stored = w.objects(t)
					attempt(late, db.JobAttempts)
				}}
			})
			attempt(first, 1)
			if test.key(w.file(t, file)) == "" || len(stored) < 2 {
				t.Fatalf("file: got %+v with %v, want it to have %s", w.file(t, file), stored, test.name)
			}
			w.awaitObjects(t, stored)
		})
	}
}

// A process that is killed between the store and the database leaves objects to which no row
// refers.
func TestDerived_objects_of_a_killed_process_are_removed(t *testing.T) {
	t.Parallel()
	for _, test := range derivedWork {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			file := w.addFile(t, "scan.ply", "sss")
			w.storeFacts(t, file)
			killed := w.idle(t, withScript("good"), func(o *Options) {
				o.Store = afterPut{w.store, test.last, func() { panic("killed") }}
			})
			row := &rivertype.JobRow{ID: 1, Attempt: 1}
			if err := killed.runFileJob(t.Context(), row, fileArgsOf(file), test.work); err == nil {
				t.Error("killed attempt: got nil, want an error")
			}
			if got := w.objects(t); len(got) < 2 {
				t.Fatalf("objects: got %v, want some of the killed attempt", got)
			}
			w.exec(t, "UPDATE removals SET due_at = now()")
			if err := w.idle(t).purge(t.Context(), time.Now()); err != nil {
				t.Fatalf("purge: got %v, want nil", err)
			}
			w.awaitObjects(t, map[string]int64{file.StorageKey(): 3})
		})
	}
}

// The machine of an attempt was suspended until the purge had removed what the attempt has stored.
func TestDerived_objects_that_the_purge_has_removed_are_not_added(t *testing.T) {
	t.Parallel()
	for _, test := range derivedWork {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			file := w.addFile(t, "scan.ply", "sss")
			w.storeFacts(t, file)
			suspended := w.idle(t, withScript("good"), func(o *Options) {
				o.Store = afterPut{w.store, test.last, func() { w.exec(t, "UPDATE removals SET due_at = now()") }}
			})
			row := &rivertype.JobRow{ID: 1, Attempt: 1}
			err := suspended.runFileJob(t.Context(), row, fileArgsOf(file), test.work)
			if !errors.Is(err, errFolderRemoved) {
				t.Errorf("suspended attempt: got %v, want %v", err, errFolderRemoved)
			}
			if got := test.key(w.file(t, file)); got != "" {
				t.Errorf("file: got %q, want none", got)
			}
			w.awaitObjects(t, map[string]int64{file.StorageKey(): 3})
		})
	}
}

// The view is complete when the process stops, or when its facts cannot be stored.
func TestView_that_is_not_added_is_removed(t *testing.T) {
	t.Parallel()
	t.Run("because the process stops", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		job := w.submit(t, "scan.ply", strings.NewReader("sss"))
		ctx, stop := context.WithCancel(t.Context())
		worker := w.idle(t, withScript("good"), func(o *Options) { o.Store = afterPut{w.store, "lod-meta.json", stop} })
		err := (&jobWorker{w: worker}).attemptJob(ctx, jobArgs{db.JobArgs{JobID: job.ID}}, &rivertype.JobRow{ID: 1})
		if _, ok := errors.AsType[*river.JobSnoozeError](err); !ok {
			t.Errorf("attempt: got %v, want it handed back", err)
		}
		w.awaitObjects(t, map[string]int64{w.upload(t, job).StorageKey(): 3})
	})
	t.Run("because its facts cannot be stored", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.exec(t, `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''refused''; END';
			CREATE TRIGGER refuse BEFORE UPDATE OF facts ON files FOR EACH ROW EXECUTE FUNCTION refuse()`)
		file := w.addFile(t, "scan.ply", "sss")
		row := &rivertype.JobRow{ID: 1, Attempt: 1}
		if err := w.idle(t, withScript("good")).runFileJob(t.Context(), row, fileArgsOf(file), viewWork); err == nil {
			t.Error("attempt: got nil, want an error")
		}
		w.awaitObjects(t, map[string]int64{file.StorageKey(): 3})
	})
}
