package db

import (
	"slices"
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
			key, err := db.Keys().AddKey(t.Context(), newKey(user.ID))
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

func TestKey_that_is_revoked_is_not_found(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ctx := t.Context()
	user := addUser(t, db)
	key, err := db.Keys().AddKey(ctx, newKey(user.ID))
	check(t, err)
	found, err := db.Keys().KeyByLookup(ctx, key.Lookup)
	check(t, err)
	if found.ID != key.ID || string(found.Sealed) != string(key.Sealed) || !found.RevokedAt.IsZero() {
		t.Errorf("key: got %+v, want %+v", found, key)
	}
	_, err = db.idb.ExecContext(ctx, "UPDATE api_keys SET revoked_at = now() WHERE id = ?", key.ID)
	check(t, err)
	_, err = db.Keys().KeyByLookup(ctx, key.Lookup)
	checkCode(t, err, model.CodeNotFound)
	_, err = db.Keys().KeyOf(ctx, user.ID)
	checkCode(t, err, model.CodeNotFound)
	second, err := db.Keys().AddKey(ctx, newKey(user.ID))
	check(t, err)
	if second.ID == key.ID {
		t.Errorf("key after the revocation: got the same one, want another")
	}
}

func TestRevokeKeyOf_revokes_the_keys_of_one_program(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ctx := t.Context()
	user, other := addUser(t, db), addUser(t, db)
	client := addClient(t, db)
	key, err := db.Keys().AddKey(ctx, newKey(user.ID))
	check(t, err)
	others, err := db.Keys().AddKey(ctx, newKey(other.ID))
	check(t, err)
	mine, theirs := addCode(t, db, client, user), addCode(t, db, client, other)
	heard := db.Watch(ctx, TopicRevoked)
	check(t, db.Keys().RevokeKeyOf(ctx, user.ID))
	receive(t, heard, "the announcement")
	for id, want := range map[string]bool{key.ID: false, others.ID: true, "unknown": false} {
		if got, err := db.Keys().KeyIsValid(ctx, id); err != nil || got != want {
			t.Errorf("key %s is valid: got %v, %v, want %v", id, got, err, want)
		}
	}
	invalid, err := db.Keys().InvalidKeys(ctx, []string{"unknown", key.ID, others.ID})
	check(t, err)
	if slices.Sort(invalid); len(invalid) != 2 || slices.Contains(invalid, others.ID) {
		t.Errorf("invalid keys: got %v, want %s and unknown", invalid, key.ID)
	}
	_, err = db.Keys().RedeemOAuthCode(ctx, mine.Hash)
	checkCode(t, err, model.CodeNotFound)
	_, err = db.Keys().RedeemOAuthCode(ctx, theirs.Hash)
	check(t, err)
	check(t, db.Keys().RevokeKeyOf(ctx, user.ID))
}

func TestRevokeKeyOf_keeps_the_time_of_the_first(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ctx := t.Context()
	key, err := db.Keys().AddKey(ctx, newKey(addUser(t, db).ID))
	check(t, err)
	check(t, db.Keys().RevokeKeyOf(ctx, key.UserID))
	const query = "SELECT (extract(epoch FROM revoked_at) * 1000000)::bigint FROM api_keys"
	first := number(t, db, query)
	check(t, db.Keys().RevokeKeyOf(ctx, key.UserID))
	if got := number(t, db, query); got != first {
		t.Errorf("revoked at: got %d, want %d still", got, first)
	}
}

func TestReplaceKey_ends_the_old_key(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ctx := t.Context()
	user := addUser(t, db)
	code := addCode(t, db, addClient(t, db), user)
	old, err := db.Keys().AddKey(ctx, newKey(user.ID))
	check(t, err)
	heard := db.Watch(ctx, TopicRevoked)
	made := newKey(user.ID)
	check(t, db.Keys().ReplaceKey(ctx, old.ID, made))
	receive(t, heard, "the announcement")
	found, err := db.Keys().KeyOf(ctx, user.ID)
	check(t, err)
	if found.ID != made.ID {
		t.Errorf("key: got %s, want %s", found.ID, made.ID)
	}
	_, err = db.Keys().RedeemOAuthCode(ctx, code.Hash)
	checkCode(t, err, model.CodeNotFound)
	for name, replaced := range map[string]error{
		"the revoked key":      db.Keys().ReplaceKey(ctx, old.ID, newKey(user.ID)),
		"an unknown key":       db.Keys().ReplaceKey(ctx, "unknown", newKey(user.ID)),
		"another person's key": db.Keys().ReplaceKey(ctx, made.ID, newKey(addUser(t, db).ID)),
	} {
		if got, want := model.CodeOf(replaced), model.CodeUnauthenticated; got != want {
			t.Errorf("replace %s: got %q, want %q", name, got, want)
		}
	}
	if valid, err := db.Keys().KeyIsValid(ctx, made.ID); err != nil || !valid {
		t.Errorf("new key is valid: got %v, %v, want true still", valid, err)
	}
}
