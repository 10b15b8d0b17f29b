package db

import (
	"testing"
	"time"

	"portico/model"
)

// asked asks for a file in another format.
func asked(t *testing.T, db *DB, file *model.File, format model.ConversionTarget) *model.FormatDownload {
	t.Helper()
	found, err := db.Files().AskFormat(t.Context(), file, format)
	check(t, err)
	return found
}

// formatJobs returns how many formats are to be made.
func formatJobs(t *testing.T, db *DB) int {
	t.Helper()
	return number(t, db, "SELECT count(*) FROM river_job WHERE kind = '"+FormatKind+"'")
}

func TestAskFormat_has_each_format_made_once(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	file := addConfirmed(t, db, addUser(t, db), 10)
	for range 3 {
		if got := asked(t, db, file, model.ConvertToSPZ).State(); got != model.StepPending {
			t.Errorf("asked for: got %s, want pending", got)
		}
	}
	asked(t, db, file, model.ConvertToPLY)
	if got := formatJobs(t, db); got != 2 {
		t.Errorf("jobs: got %d, want one for each format", got)
	}
	check(t, db.Files().SetFormatFailure(t.Context(), file, model.ConvertToPLY, "too odd"))
	if got := asked(t, db, file, model.ConvertToPLY); got.State() != model.StepFailed || got.Failure != "too odd" {
		t.Errorf("failed: got %+v, want the reason", got)
	}
	added, err := db.Files().AddFormat(t.Context(), &model.FormatDownload{
		ResourceKey: file.ResourceKey, Format: model.ConvertToSPZ, UserID: file.UserID, Key: "derived/x/a.spz", Bytes: 7,
	})
	if err != nil || !added {
		t.Errorf("add: got %v, %v, want that it was added", added, err)
	}
	got := asked(t, db, file, model.ConvertToSPZ)
	if got.State() != model.StepReady || got.Bytes != 7 || got.StorageKey() != file.UserID+"/derived/x/a.spz" {
		t.Errorf("made: got %+v, want what was made", got)
	}
	if left := time.Until(got.EndsAt.Time); left > formatAge || left < formatAge-time.Hour {
		t.Errorf("kept for %s, want %s", left, formatAge)
	}
	if got := formatJobs(t, db); got != 2 {
		t.Errorf("jobs afterwards: got %d, want no more", got)
	}
	_, err = db.idb.ExecContext(t.Context(), "UPDATE format_downloads SET ends_at = now(); UPDATE river_job SET state = 'completed', finalized_at = now()")
	check(t, err)
	if got := asked(t, db, file, model.ConvertToSPZ); got.State() != model.StepPending || formatJobs(t, db) != 3 {
		t.Errorf("after its end: got %s and %d jobs, want that it is made again", got.State(), formatJobs(t, db))
	}
	if purged, err := db.Files().PurgeFormats(t.Context(), 10); err != nil || purged != 1 {
		t.Errorf("purge: got %d, %v, want the other one", purged, err)
	}
	_, err = db.Files().AskFormat(t.Context(), &model.File{ResourceKey: "gone", UserID: file.UserID}, model.ConvertToSPZ)
	checkCode(t, err, model.CodeNotFound)
}

func TestAskFormat_refuses_endless_work(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	user, other := addUser(t, db), addUser(t, db)
	formats := model.DownloadTargets()
	file := addConfirmed(t, db, user, 10)
	for _, format := range formats[:maxWaitingOfAccount] {
		asked(t, db, file, format)
	}
	_, err := db.Files().AskFormat(t.Context(), file, formats[maxWaitingOfAccount])
	checkCode(t, err, model.CodeRateLimited)
	asked(t, db, file, formats[0])                           // it is being made
	asked(t, db, addConfirmed(t, db, other, 10), formats[0]) // of somebody else
	_, err = db.idb.ExecContext(t.Context(), "UPDATE format_downloads SET failure = 'odd'")
	check(t, err)
	for number(t, db, "SELECT count(*) FROM format_downloads WHERE user_id = '"+user.ID+"'") < maxFormatsOfAccount {
		asked(t, db, addConfirmed(t, db, user, 10), formats[0])
		_, err = db.idb.ExecContext(t.Context(), "UPDATE format_downloads SET failure = 'odd'")
		check(t, err)
	}
	_, err = db.Files().AskFormat(t.Context(), addConfirmed(t, db, user, 10), formats[0])
	checkCode(t, err, model.CodeRateLimited)
}

// Formats do not use the storage of the owner, but keep within what is free.
func TestAddFormat_within_the_free_storage(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	user := addUser(t, db)
	setQuota(t, db, user, 1000)
	file := addConfirmed(t, db, user, 900)
	add := func(format model.ConversionTarget, bytes int64) (bool, error) {
		asked(t, db, file, format)
		return db.Files().AddFormat(t.Context(), &model.FormatDownload{
			ResourceKey: file.ResourceKey, Format: format, UserID: user.ID, Key: "k", Bytes: bytes,
		})
	}
	if added, err := add(model.ConvertToSPZ, 60); err != nil || !added {
		t.Errorf("60 of 100: got %v, %v", added, err)
	}
	if added, err := add(model.ConvertToSPZ, 1); err != nil || added {
		t.Errorf("a second time: got %v, %v, want that nothing was added", added, err)
	}
	_, err := add(model.ConvertToPLY, 41)
	checkCode(t, err, model.CodeQuotaExceeded)
	account, err := db.Accounts().Storage(t.Context(), user.ID)
	check(t, err)
	if account.Used != 900 || account.Free() != 100 {
		t.Errorf("storage: got %+v, want that formats use none", account)
	}
}
