package db

import (
	"sync"
	"testing"

	"portico/model"
)

func TestRevokeAccess_ends_the_key_and_the_codes_of_one_account(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ctx := t.Context()
	for name, end := range map[string]func(*model.User, *model.APIKey) error{
		"by_version":  func(u *model.User, _ *model.APIKey) error { return db.Accounts().RevokeAccess(ctx, u) },
		"by_key":      func(_ *model.User, k *model.APIKey) error { return db.Accounts().RevokeAccessByKey(ctx, k.ID) },
		"by_password": func(u *model.User, _ *model.APIKey) error { return db.Accounts().SetPassword(ctx, u.ID, "new") },
	} {
		t.Run(name, func(t *testing.T) {
			user, other := addUser(t, db), addUser(t, db)
			client := addClient(t, db)
			key, err := db.Keys().AddKey(ctx, newKey(user.ID))
			check(t, err)
			others, err := db.Keys().AddKey(ctx, newKey(other.ID))
			check(t, err)
			code, kept := addCode(t, db, client, user), addCode(t, db, client, other)
			check(t, db.Accounts().LockAccess(ctx, user.ID, 0))
			check(t, end(user, key))
			checkCode(t, db.Accounts().LockAccess(ctx, user.ID, 0), model.CodeUnauthenticated)
			check(t, db.Accounts().LockAccess(ctx, user.ID, 1))
			check(t, db.Accounts().LockAccess(ctx, other.ID, 0))
			for id, want := range map[string]bool{key.ID: false, others.ID: true} {
				if got, err := db.Keys().KeyIsValid(ctx, id); err != nil || got != want {
					t.Errorf("key %s is valid: got %v, %v, want %v", id, got, err, want)
				}
			}
			_, err = db.Keys().RedeemOAuthCode(ctx, code.Hash)
			checkCode(t, err, model.CodeNotFound)
			_, err = db.Keys().RedeemOAuthCode(ctx, kept.Hash)
			check(t, err)
		})
	}
}

func TestRevokeAccess_refuses_an_account_without_access(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ctx := t.Context()
	user := addUser(t, db)
	before := *user
	key, err := db.Keys().AddKey(ctx, newKey(user.ID))
	check(t, err)
	check(t, db.Accounts().RevokeAccess(ctx, user))
	checkCode(t, db.Accounts().RevokeAccess(ctx, &before), model.CodeUnauthenticated)
	checkCode(t, db.Accounts().RevokeAccessByKey(ctx, key.ID), model.CodeUnauthenticated)
	checkCode(t, db.Accounts().RevokeAccess(ctx, &model.User{ID: "gone"}), model.CodeUnauthenticated)
	checkCode(t, db.Accounts().RevokeAccessByKey(ctx, "gone"), model.CodeUnauthenticated)
	check(t, db.Accounts().RevokeAccess(ctx, user))
}

// A key that is replaced while access ends is not left behind, whichever is first.
func TestRevokeAccess_leaves_no_key_of_a_race(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ctx := t.Context()
	for range 20 {
		user := addUser(t, db)
		key, err := db.Keys().AddKey(ctx, newKey(user.ID))
		check(t, err)
		var all sync.WaitGroup
		all.Go(func() {
			if err := db.Keys().ReplaceKey(ctx, key.ID, newKey(user.ID)); err != nil {
				checkCode(t, err, model.CodeUnauthenticated)
			}
		})
		all.Go(func() {
			if err := db.Accounts().SetPassword(ctx, user.ID, "new"); err != nil {
				t.Errorf("SetPassword: %v", err)
			}
		})
		all.Wait()
		_, err = db.Keys().KeyOf(ctx, user.ID)
		checkCode(t, err, model.CodeNotFound)
	}
}
