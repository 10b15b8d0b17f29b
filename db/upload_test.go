package db

import (
	"sync"
	"testing"
	"time"

	"portico/model"
)

// Of concurrent requests that move a pending upload, one succeeds.
func TestUploads_are_moved_by_one_of_many(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ctx := t.Context()
	for range 5 {
		upload := addUpload(t, db, addUser(t, db), 10, -48*time.Hour)
		moves := []func() (bool, error){
			func() (bool, error) {
				return db.Uploads().MoveUpload(ctx, upload.ID, model.UploadPending, model.UploadConfirmed)
			},
			func() (bool, error) {
				return db.Uploads().MoveUpload(ctx, upload.ID, model.UploadPending, model.UploadDiscarded)
			},
			func() (bool, error) { return db.Uploads().StartUpload(ctx, upload.ID, "job") },
			func() (bool, error) {
				n, err := db.Uploads().DiscardExpired(ctx, time.Now(), 10)
				return n > 0, err
			},
		}
		won := make(chan bool, len(moves))
		var all sync.WaitGroup
		for _, move := range moves {
			all.Go(func() {
				moved, err := move()
				if err != nil {
					t.Errorf("move: %v", err)
				}
				if moved {
					won <- true
				}
			})
		}
		all.Wait()
		if got, want := len(won), 1; got != want {
			t.Errorf("winners: got %d, want %d", got, want)
		}
	}
}

func TestStartUpload_remembers_its_job(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	job := addJob(t, db, addUser(t, db))
	upload, err := db.Uploads().Upload(t.Context(), job.UploadID)
	check(t, err)
	if upload.State != model.UploadProcessing || upload.JobID != job.ID {
		t.Errorf("upload: got %s by %q, want %s by %q", upload.State, upload.JobID, model.UploadProcessing, job.ID)
	}
}

func TestUploadOf_and_FileOf_know_their_owner_only(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	owner, other := addUser(t, db), addUser(t, db)
	upload := addUpload(t, db, owner, 10, time.Hour)
	check(t, db.Files().AddFile(t.Context(), model.NewFile(upload)))
	got, err := db.Uploads().UploadOf(t.Context(), owner.ID, upload.ResourceKey)
	check(t, err)
	if got.ID != upload.ID {
		t.Errorf("upload: got %s, want %s", got.ID, upload.ID)
	}
	file, err := db.Files().FileOfUpload(t.Context(), upload.ID)
	check(t, err)
	if got, want := file.ResourceKey, upload.ResourceKey; got != want {
		t.Errorf("file: got %s, want %s", got, want)
	}
	_, err = db.Uploads().UploadOf(t.Context(), other.ID, upload.ResourceKey)
	checkCode(t, err, model.CodeNotFound)
	_, err = db.Files().FileOf(t.Context(), other.ID, upload.ResourceKey)
	checkCode(t, err, model.CodeNotFound)
}

func TestDiscardExpired_discards_the_oldest_uploads_first(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ctx := t.Context()
	user := addUser(t, db)
	old := addUpload(t, db, user, 10, -3*time.Hour)
	older := addUpload(t, db, user, 10, -4*time.Hour)
	fresh := addUpload(t, db, user, 10, -time.Hour)
	confirmed := addUpload(t, db, user, 10, -5*time.Hour)
	_, err := db.Uploads().MoveUpload(ctx, confirmed.ID, model.UploadPending, model.UploadConfirmed)
	check(t, err)
	for i, want := range []int{1, 1, 0} {
		got, err := db.Uploads().DiscardExpired(ctx, time.Now().Add(-2*time.Hour), 1)
		check(t, err)
		if got != want {
			t.Errorf("DiscardExpired %d: got %d, want %d", i, got, want)
		}
	}
	for _, test := range []struct {
		upload *model.Upload
		want   model.UploadState
	}{
		{old, model.UploadDiscarded}, {older, model.UploadDiscarded},
		{fresh, model.UploadPending}, {confirmed, model.UploadConfirmed},
	} {
		got, err := db.Uploads().Upload(ctx, test.upload.ID)
		check(t, err)
		if got.State != test.want {
			t.Errorf("state: got %s, want %s", got.State, test.want)
		}
	}
	keys, err := db.Files().DueRemovals(ctx, 10)
	check(t, err)
	if len(keys) != 2 || keys[0] != older.StorageKey() || keys[1] != old.StorageKey() {
		t.Errorf("removals: got %v, want %v", keys, []string{older.StorageKey(), old.StorageKey()})
	}
}

func TestPurgeUploads_deletes_what_ended_long_ago(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ctx := t.Context()
	user := addUser(t, db)
	in := func(state model.UploadState, expired time.Duration) *model.Upload {
		t.Helper()
		upload := addUpload(t, db, user, 10, -expired)
		_, err := db.Uploads().MoveUpload(ctx, upload.ID, model.UploadPending, state)
		check(t, err)
		return upload
	}
	withJob := in(model.UploadFailed, 3*time.Hour)
	check(t, db.Jobs().AddJob(ctx, model.NewJob(withJob)))
	for _, test := range []struct {
		name   string
		upload *model.Upload
		stays  bool
	}{
		{"discarded", in(model.UploadDiscarded, 4*time.Hour), false},
		{"failed", in(model.UploadFailed, 3*time.Hour), false},
		{"discarded of late", in(model.UploadDiscarded, time.Hour), true},
		{"failed with its job", withJob, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			for range 3 { // one at a time
				_, err := db.Uploads().PurgeUploads(ctx, time.Now().Add(-2*time.Hour), 1)
				check(t, err)
			}
			_, err := db.Uploads().Upload(ctx, test.upload.ID)
			if got := err == nil; got != test.stays {
				t.Errorf("upload: got %v, want it to stay: %v", err, test.stays)
			}
		})
	}
	_, err := db.idb.ExecContext(ctx, "DELETE FROM jobs")
	check(t, err)
	for i, want := range []int{1, 0} {
		got, err := db.Uploads().PurgeUploads(ctx, time.Now().Add(-2*time.Hour), 10)
		check(t, err)
		if got != want {
			t.Errorf("PurgeUploads %d without the job: got %d, want %d", i, got, want)
		}
	}
}

func TestDeleteFile_by_one_of_two(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	user := addUser(t, db)
	file := model.NewFile(addUpload(t, db, user, 10, time.Hour))
	check(t, db.Files().AddFile(t.Context(), file))
	for i, want := range []bool{true, false} {
		deleted, err := db.Files().DeleteFile(t.Context(), file.ResourceKey)
		check(t, err)
		if got := deleted != nil; got != want {
			t.Errorf("DeleteFile %d: got %v, want %v", i, got, want)
		}
	}
	storage, err := db.Accounts().Storage(t.Context(), user.ID)
	check(t, err)
	if got, want := storage.Used, int64(0); got != want {
		t.Errorf("used: got %d, want %d", got, want)
	}
}
