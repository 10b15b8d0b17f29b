package db

import (
	"sync"
	"testing"

	"portico/model"
)

func newKey(userID string) *model.APIKey {
	return &model.APIKey{
		ID: model.Token(), UserID: userID, Lookup: []byte(model.Token()), Sealed: []byte{0, 1, '\'', '?', 255}, CreatedAt: model.Now(),
	}
}

func TestAddKey_gives_concurrent_callers_one_key(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	user := addUser(t, db)
	const callers = 10
	ids := make(chan string, callers)
	var all sync.WaitGroup
	for range callers {
		all.Go(func() {
			key, err := db.AddKey(t.Context(), newKey(user.ID))
			if err != nil {
				t.Errorf("AddKey: %v", err)
				return
			}
			ids <- key.ID
		})
	}
	all.Wait()
	close(ids)
	distinct := map[string]bool{}
	for id := range ids {
		distinct[id] = true
	}
	if got, want := len(distinct), 1; got != want {
		t.Errorf("keys: got %d, want %d", got, want)
	}
}

func TestKeys_that_are_revoked_are_found_no_more(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ctx := t.Context()
	user := addUser(t, db)
	key, err := db.AddKey(ctx, newKey(user.ID))
	check(t, err)
	found, err := db.KeyByLookup(ctx, key.Lookup)
	check(t, err)
	if found.ID != key.ID || string(found.Sealed) != string(key.Sealed) || !found.RevokedAt.IsZero() {
		t.Errorf("key: got %+v, want %+v", found, key)
	}
	_, err = db.idb.ExecContext(ctx, "UPDATE api_keys SET revoked_at = now() WHERE id = ?", key.ID)
	check(t, err)
	_, err = db.KeyByLookup(ctx, key.Lookup)
	checkCode(t, err, model.CodeNotFound)
	_, err = db.KeyOf(ctx, user.ID)
	checkCode(t, err, model.CodeNotFound)
	second, err := db.AddKey(ctx, newKey(user.ID))
	check(t, err)
	if second.ID == key.ID {
		t.Errorf("key after the revocation: got the same one, want another")
	}
}
