package db

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"portico/model"
)

// addFile adds a file of 10 bytes.
func addFile(t testing.TB, db *DB, user *model.User) *model.File {
	t.Helper()
	file := model.NewFile(addUpload(t, db, user, 10, time.Hour))
	check(t, db.Files().AddFile(t.Context(), file))
	return file
}

func TestFile_keeps_what_was_found_in_it(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	user := addUser(t, db)
	unknown, file := addFile(t, db, user), model.NewFile(addUpload(t, db, user, 10, time.Hour))
	file.Facts = &model.FileFacts{
		Format: model.FormatStreamedSOG, Version: "1", Splats: 1 << 40, Degree: 3, Levels: []int64{1 << 40, 2},
		Bounds: &model.Bounds{Min: [3]float64{-0.1, 1e-300, 0}, Max: [3]float64{1, 2, 1e300}}, Extensions: []string{"a"},
		Attribution: "it's <XGRIDS>", Fault: `\ "`,
	}
	file.PosterKey, file.ViewKey, file.DerivedBytes = "derived/x/poster.jpg", "derived/x/view.sog", 5
	check(t, db.Files().AddFile(t.Context(), file))
	got, err := db.Files().FileOf(t.Context(), user.ID, file.ResourceKey)
	check(t, err)
	file.Sequence = got.Sequence
	if diff := cmp.Diff(file, got); diff != "" {
		t.Errorf("file (-want +got)\n%s", diff)
	}
	listed, err := db.Files().Files(t.Context(), user.ID, model.FileFilter{}, page(t, 50, nil))
	check(t, err)
	if diff := cmp.Diff(file, listed.Nodes[0]); diff != "" {
		t.Errorf("file in the list (-want +got)\n%s", diff)
	}
	for search, want := range map[string]int{strings.ToUpper(file.Name): 2, "%": 0, "no such name": 0} {
		searched := page(t, 50, nil)
		searched.Search = search
		found, err := db.Files().Files(t.Context(), user.ID, model.FileFilter{}, searched)
		check(t, err)
		if len(found.Nodes) != want || found.TotalCount != want {
			t.Errorf("files with %q in the name: got %d of %d, want %d", search, len(found.Nodes), found.TotalCount, want)
		}
	}
	if got := listed.Nodes[1]; got.ResourceKey != unknown.ResourceKey || got.Facts != nil || got.PosterKey != "" || got.ViewKey != "" {
		t.Errorf("file not looked into: got %+v, want no facts and no keys", got)
	}
}

// addConversion adds a queued job that converts the file.
func addConversion(t testing.TB, db *DB, file *model.File, to model.ConversionTarget, edits model.Edits) *model.Job {
	t.Helper()
	upload, job := model.NewConversion(file, to, edits)
	check(t, db.Uploads().AddUpload(t.Context(), upload))
	check(t, db.Jobs().AddJob(t.Context(), job))
	return job
}

func TestRunningFileJob_finds_the_one_that_runs(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ctx := t.Context()
	file := addFile(t, db, addUser(t, db))
	const moved = `[{"name":"translate","value":"0,1,0"}]`
	want := func(what string, to model.ConversionTarget, edits model.Edits, id string) {
		t.Helper()
		_, conversion := model.NewConversion(file, to, edits)
		job, err := db.Jobs().runningFileJob(ctx, conversion)
		check(t, err)
		if (job == nil) != (id == "") || job != nil && job.ID != id {
			t.Errorf("%s: got %+v, want job %q", what, job, id)
		}
	}
	want("before the conversion is requested", model.ConvertToSOG, "", "")
	job := addConversion(t, db, file, model.ConvertToSOG, "")
	want("queued", model.ConvertToSOG, "", job.ID)
	want("with changes", model.ConvertToSOG, moved, "")
	changed := addConversion(t, db, file, model.ConvertToSOG, moved)
	want("with the same changes", model.ConvertToSOG, moved, changed.ID)
	want("of another target", model.ConvertToStreamedSOG, "", "")
	claim(t, db, job.ID)
	want("processing", model.ConvertToSOG, "", job.ID)
	_, err := db.Jobs().CompleteJob(ctx, job.ID, 1, "key", "Completed")
	check(t, err)
	want("completed", model.ConvertToSOG, "", "")

	taken := func(capture string) *model.Job {
		t.Helper()
		upload, job := model.NewExtraction(file, capture)
		job, err := db.Files().StartFileJob(ctx, upload, job)
		check(t, err)
		return job
	}
	if hall, again, room := taken("hall.ply"), taken("hall.ply"), taken("room.ply"); hall.ID != again.ID || hall.ID == room.ID {
		t.Errorf("captures of a zip: got jobs %s, %s, %s, want one for each capture", hall.ID, again.ID, room.ID)
	}
}

// The index holds what the lock of the file is for.
func TestConversions_run_once_at_a_time(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	file := addFile(t, db, addUser(t, db))
	for _, edits := range []model.Edits{"", `[{"name":"scale","value":"2"}]`} {
		addConversion(t, db, file, model.ConvertToSOG, edits)
		upload, second := model.NewConversion(file, model.ConvertToSOG, edits)
		check(t, db.Uploads().AddUpload(t.Context(), upload))
		if err := db.Jobs().AddJob(t.Context(), second); err == nil || !strings.Contains(err.Error(), "jobs_of_files") {
			t.Errorf("second conversion with changes %q: got %v, want a breach of jobs_of_files", edits, err)
		}
	}
}

func TestConversions_have_all_targets(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	file := addFile(t, db, addUser(t, db))
	for _, to := range model.ConversionTargets() {
		addConversion(t, db, file, to, "")
	}
}

func TestLockFile_makes_others_wait(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	user := addUser(t, db)
	file := addFile(t, db, user)
	if _, err := db.Files().LockFile(t.Context(), addUser(t, db).ID, file.ResourceKey); model.CodeOf(err) != model.CodeNotFound {
		t.Errorf("another user's: got %v, want not found", err)
	}
	locked, both := make(chan struct{}), sync.WaitGroup{}
	var deleted *model.File
	both.Go(func() {
		<-locked
		var err error
		if deleted, err = db.Files().DeleteFile(t.Context(), file.ResourceKey); err != nil {
			t.Errorf("DeleteFile: %v", err)
		}
	})
	check(t, db.InTx(t.Context(), func(tx *DB) error {
		if _, err := tx.Files().LockFile(t.Context(), user.ID, file.ResourceKey); err != nil {
			return err
		}
		close(locked)
		waitForWaiter(t, db)
		_, err := tx.Files().FileOf(t.Context(), user.ID, file.ResourceKey)
		return err
	}))
	both.Wait()
	if deleted == nil {
		t.Error("deleted after the lock: got nil, want the file")
	}
}

// waitForWaiter returns when a statement of this database waits for a lock.
func waitForWaiter(t testing.TB, db *DB) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		var n int
		check(t, db.root.NewRaw(`SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(ctx, &n))
		if n > 0 {
			return
		}
	}
}
