package graph_test

import (
	"testing"

	"portico/internal/testkit/postgres"
	"portico/model"
)

// The reservation of an upload ends while its confirmation runs, just after the confirmation has
// looked at it. Another upload reserves the storage at the same moment.
func TestCompleteUpload_shares_no_storage_with_an_upload_that_follows_its_expiry(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.exec("UPDATE users SET quota = 10 WHERE id = $1", w.alice.id)
	address := w.upload(w.alice, "a.glb", 10)
	w.exec("UPDATE uploads SET expires_at = now() + interval '1 minute'")
	other, err := postgres.Connect(t, postgres.AdminURL(t, w.url)).BeginTx(t.Context(), nil)
	check(t, err)
	for _, statement := range []string{
		"SELECT FROM users FOR NO KEY UPDATE", // as LockStorage
		"UPDATE uploads SET expires_at = now() - interval '1 second'",
		`INSERT INTO uploads (id, user_id, resource_key, file_name, content_type, size, state, expires_at, created_at)
			SELECT 'other', user_id, 'other', file_name, content_type, size, state, now() + interval '1 hour', created_at FROM uploads`,
	} {
		_, err := other.ExecContext(t.Context(), statement)
		check(t, err)
	}
	confirmed := make(chan error, 1)
	go func() {
		_, err := w.complete(w.alice, address)
		confirmed <- err
	}()
	w.untilOneWaits()
	check(t, other.Commit())
	checkError(t, <-confirmed, model.CodeQuotaExceeded, model.QuotaExceeded)
	equal(t, "storage", w.storage(w.alice), model.Storage{Reserved: 10, Quota: 10})
}

// A reservation that lasts until the confirmation has the storage to itself is kept, even if the
// account has no free storage.
func TestCompleteUpload_just_before_its_expiry(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	address := w.upload(w.alice, "a.glb", 10)
	w.exec("UPDATE uploads SET expires_at = now() + interval '1 minute'")
	w.exec("UPDATE users SET quota = 5 WHERE id = $1", w.alice.id)
	_, err := w.complete(w.alice, address)
	check(t, err)
	equal(t, "storage", w.storage(w.alice), model.Storage{Used: 10, Quota: 5})
}
