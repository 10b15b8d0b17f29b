package db

import (
	"testing"
	"time"

	"portico/model"
)

// newResumable stores an upload that expires at this time from now.
func newResumable(t *testing.T, db *DB, userID string, left time.Duration) *model.Upload {
	t.Helper()
	upload := model.NewUpload(userID, model.CreateUpload{FileName: "a.ply", FileSize: 10, ContentType: "a/b", Resumable: true})
	upload.ExpiresAt = model.Time{Time: time.Now().Add(left)}
	check(t, db.Uploads().AddUpload(t.Context(), upload))
	return upload
}

func TestLeaseUpload_has_one_writer(t *testing.T) {
	t.Parallel()
	db, ctx := testDB(t), t.Context()
	user := addUser(t, db).ID
	upload := newResumable(t, db, user, time.Hour)
	lease := func(writer string, want bool) {
		t.Helper()
		if got, err := db.Uploads().LeaseUpload(ctx, upload.ID, writer, 7200); got != want || err != nil {
			t.Errorf("LeaseUpload of %s: got %v, %v, want %v", writer, got, err, want)
		}
	}
	release := func(writer string, want bool) {
		t.Helper()
		if got, err := db.Uploads().ReleaseUpload(ctx, upload.ID, writer); got != want || err != nil {
			t.Errorf("ReleaseUpload of %s: got %v, %v, want %v", writer, got, err, want)
		}
	}
	lease("a", true)
	lease("a", true) // again, before the lease ends
	lease("b", false)
	release("b", true) // of nothing
	lease("b", false)
	release("a", true)
	lease("b", true)
	current, err := db.Uploads().ResumableUpload(ctx, user, upload.ID)
	check(t, err)
	if left := time.Until(current.ExpiresAt.Time); left < 90*time.Minute {
		t.Errorf("the upload expires in %v, want the lifetime of the lease", left)
	}
	if _, err := db.idb.NewRaw("UPDATE uploads SET writer_until = now() - interval '1 second'").Exec(ctx); err != nil {
		t.Fatal(err)
	}
	lease("a", true) // the process of b has died
	if _, err := db.Uploads().MoveUpload(ctx, upload.ID, model.UploadPending, model.UploadDiscarded); err != nil {
		t.Fatal(err)
	}
	lease("a", false)
	release("a", false) // what a has appended is to be deleted
}

// Nobody appends to a resumable upload that has expired, so it is discarded at once. A PUT
// may still be under way.
func TestDiscardExpired_discards_resumable_uploads_first(t *testing.T) {
	t.Parallel()
	db, ctx := testDB(t), t.Context()
	user := addUser(t, db).ID
	expired, pending := newResumable(t, db, user, -time.Minute), newResumable(t, db, user, time.Hour)
	if got, err := db.Uploads().LeaseUpload(ctx, expired.ID, "a", 7200); got || err != nil {
		t.Errorf("LeaseUpload of an expired upload: got %v, %v, want false", got, err)
	}
	n, err := db.Uploads().DiscardExpired(ctx, model.ExpiredBefore(time.Now()), 10)
	if n != 1 || err != nil {
		t.Errorf("DiscardExpired: got %d, %v, want 1", n, err)
	}
	for id, want := range map[string]model.UploadState{expired.ID: model.UploadDiscarded, pending.ID: model.UploadPending} {
		if got, err := db.Uploads().Upload(ctx, id); err != nil || got.State != want {
			t.Errorf("state: got %v, %v, want %s", got, err, want)
		}
	}
}

func TestIsReceiving_reports_why_a_lease_is_refused(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	user := addUser(t, db).ID
	leased, discarded := newResumable(t, db, user, time.Hour), newResumable(t, db, user, time.Hour)
	if got, err := db.Uploads().LeaseUpload(t.Context(), leased.ID, "another", 7200); !got || err != nil {
		t.Fatalf("LeaseUpload: got %v, %v, want true", got, err)
	}
	_, err := db.Uploads().MoveUpload(t.Context(), discarded.ID, model.UploadPending, model.UploadDiscarded)
	check(t, err)
	for name, row := range map[string]struct {
		id   string
		want bool
	}{
		"another writer has the lease": {leased.ID, true},
		"it has expired":               {newResumable(t, db, user, -time.Minute).ID, false},
		"it was discarded":             {discarded.ID, false},
		"there is none":                {"unknown", false},
		"it is sent by a PUT":          {addUpload(t, db, &model.User{ID: user}, 10, time.Hour).ID, false},
	} {
		leases, err := db.Uploads().LeaseUpload(t.Context(), row.id, "a", 7200)
		check(t, err)
		if got, err := db.Uploads().IsReceiving(t.Context(), row.id); leases || got != row.want || err != nil {
			t.Errorf("%s: got lease %v, receiving %v, %v; want no lease and %v", name, leases, got, err, row.want)
		}
	}
}
