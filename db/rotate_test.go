package db

import (
	"testing"

	"portico/model"
)

func TestRevokeKey(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ctx := t.Context()
	for name, revoke := range map[string]func(*model.APIKey) error{
		"by_id":   func(k *model.APIKey) error { return db.RevokeKey(ctx, k.ID) },
		"by_user": func(k *model.APIKey) error { return db.RevokeKeyOf(ctx, k.UserID) },
	} {
		t.Run(name, func(t *testing.T) {
			user, other := addUser(t, db), addUser(t, db)
			client := addClient(t, db)
			key, err := db.AddKey(ctx, newKey(user.ID))
			check(t, err)
			others, err := db.AddKey(ctx, newKey(other.ID))
			check(t, err)
			mine, theirs := addCode(t, db, client, user), addCode(t, db, client, other)
			heard := db.Watch(ctx, KeyTopic(key.ID))
			check(t, revoke(key))
			receive(t, heard, "the announcement")
			for id, want := range map[string]bool{key.ID: false, others.ID: true, "unknown": false} {
				if got, err := db.KeyIsValid(ctx, id); err != nil || got != want {
					t.Errorf("key %s is valid: got %v, %v, want %v", id, got, err, want)
				}
			}
			_, err = db.TakeOAuthCode(ctx, mine.Hash)
			checkCode(t, err, model.CodeNotFound)
			_, err = db.TakeOAuthCode(ctx, theirs.Hash)
			check(t, err)
			check(t, revoke(key))
		})
	}
}

func TestRevokeKey_keeps_the_time_of_the_first(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ctx := t.Context()
	key, err := db.AddKey(ctx, newKey(addUser(t, db).ID))
	check(t, err)
	check(t, db.RevokeKey(ctx, key.ID))
	const query = "SELECT (extract(epoch FROM revoked_at) * 1000000)::bigint FROM api_keys"
	first := number(t, db, query)
	check(t, db.RevokeKey(ctx, key.ID))
	if got := number(t, db, query); got != first {
		t.Errorf("revoked at: got %d, want %d still", got, first)
	}
}
