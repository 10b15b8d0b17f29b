package auth_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/auth"
	"portico/db"
	"portico/internal/testkit/postgres/testdb"
	"portico/model"
)

func TestGenerate_ends_the_old_key(t *testing.T) {
	t.Parallel()
	database := testdb.Open(t)
	keys, user := newKeys(t, database), testdb.User(t, database, 0)
	old, err := keys.EnsureKey(t.Context(), user.ID)
	check(t, err)
	made, err := keys.Generate(t.Context(), user)
	check(t, err)
	if made == old {
		t.Error("key: got the old one, want another")
	}
	if _, err := keys.Caller(t.Context(), old); model.CodeOf(err) != model.CodeUnauthenticated {
		t.Errorf("old key: got %v, want it refused", err)
	}
	caller, err := keys.Caller(t.Context(), made)
	check(t, err)
	if caller.UserID != user.ID {
		t.Errorf("caller: got %s, want %s", caller.UserID, user.ID)
	}
	if again, err := keys.EnsureKey(t.Context(), user.ID); err != nil || again != made {
		t.Errorf("key, asked for later: got %q, %v, want the new one", again, err)
	}
}

func TestGenerate_leaves_one_key_after_many_at_once(t *testing.T) {
	t.Parallel()
	database := testdb.Open(t)
	user := testdb.User(t, database, 0)
	const callers = 8
	made := make(chan string, callers)
	var all sync.WaitGroup
	for range callers {
		keys := newKeys(t, database)
		all.Go(func() {
			key, err := keys.Generate(t.Context(), user)
			if err != nil {
				t.Errorf("Generate: %v", err)
			}
			made <- key
		})
	}
	all.Wait()
	close(made)
	valid := map[string]bool{}
	for key := range made {
		if _, err := newKeys(t, database).Caller(t.Context(), key); err == nil {
			valid[key] = true
		}
	}
	if got, want := len(valid), 1; got != want {
		t.Errorf("valid keys: got %d, want %d", got, want)
	}
}

func TestRevoke_ends_the_key_and_can_be_repeated(t *testing.T) {
	t.Parallel()
	database := testdb.Open(t)
	keys := newKeys(t, database)
	for name, revoke := range map[string]func(user *model.User, key string) error{
		"by_user": func(user *model.User, _ string) error { return keys.Revoke(t.Context(), user) },
		"by_key":  func(_ *model.User, key string) error { return keys.RevokeKey(t.Context(), key) },
	} {
		t.Run(name, func(t *testing.T) {
			user := testdb.User(t, database, 0)
			check(t, keys.Revoke(t.Context(), user)) // there is none yet
			key, err := keys.EnsureKey(t.Context(), user.ID)
			check(t, err)
			check(t, revoke(user, key))
			check(t, revoke(user, key)) // again: nothing to do
			if _, err := keys.Caller(t.Context(), key); model.CodeOf(err) != model.CodeUnauthenticated {
				t.Errorf("revoked key: got %v, want it refused", err)
			}
			if _, err := keys.Show(t.Context(), user.ID); model.CodeOf(err) != model.CodeNotFound {
				t.Errorf("Show: got %v, want none found", err)
			}
		})
	}
	check(t, keys.RevokeKey(t.Context(), "portico_unknown"))
}

func TestReplace_needs_a_key_that_is_still_valid(t *testing.T) {
	t.Parallel()
	database := testdb.Open(t)
	keys, user := newKeys(t, database), testdb.User(t, database, 0)
	stolen, err := keys.EnsureKey(t.Context(), user.ID)
	check(t, err)
	thief, err := keys.Caller(t.Context(), stolen)
	check(t, err)
	made, err := keys.Replace(t.Context(), thief)
	check(t, err)
	owner, err := keys.Caller(t.Context(), made)
	check(t, err)
	if _, err := keys.Replace(t.Context(), thief); model.CodeOf(err) != model.CodeUnauthenticated {
		t.Errorf("Replace by a revoked key: got %v, want it refused", err)
	}
	if err := keys.RevokeOwn(t.Context(), thief); model.CodeOf(err) != model.CodeUnauthenticated {
		t.Errorf("RevokeOwn by a revoked key: got %v, want it refused", err)
	}
	if again, err := keys.Show(t.Context(), user.ID); err != nil || again != made {
		t.Errorf("key: got %q, %v, want the owner's %q still", again, err, made)
	}
	check(t, keys.RevokeOwn(t.Context(), owner))
}

func TestReplace_by_many_at_once_succeeds_once(t *testing.T) {
	t.Parallel()
	database := testdb.Open(t)
	keys, user := newKeys(t, database), testdb.User(t, database, 0)
	key, err := keys.EnsureKey(t.Context(), user.ID)
	check(t, err)
	caller, err := keys.Caller(t.Context(), key)
	check(t, err)
	var all sync.WaitGroup
	made := make(chan string, 8)
	for range cap(made) {
		all.Go(func() {
			if key, err := keys.Replace(t.Context(), caller); err == nil {
				made <- key
			} else if model.CodeOf(err) != model.CodeUnauthenticated {
				t.Errorf("Replace: got %v, want it made or refused", err)
			}
		})
	}
	all.Wait()
	close(made)
	if got, want := len(made), 1; got != want {
		t.Fatalf("keys: got %d, want %d", got, want)
	}
	if _, err := keys.Caller(t.Context(), <-made); err != nil {
		t.Errorf("key: got %v, want it valid", err)
	}
}

func TestKeyFor_gives_nothing_after_access_has_ended(t *testing.T) {
	t.Parallel()
	database := testdb.Open(t)
	keys, user := newKeys(t, database), testdb.User(t, database, 0)
	const client = "client"
	check(t, database.Keys().AddOAuthClient(t.Context(), &db.OAuthClient{ID: client, Name: "Uploader", RedirectURIs: []string{"https://a.example"}, CreatedAt: model.Now()}))
	first, err := keys.KeyFor(t.Context(), user.ID, client, 0)
	check(t, err)
	if again, err := keys.KeyFor(t.Context(), user.ID, client, 0); err != nil || again != first {
		t.Errorf("KeyFor again: got %q, %v, want %q", again, err, first)
	}
	check(t, keys.Revoke(t.Context(), user))
	if key, err := keys.KeyFor(t.Context(), user.ID, client, 0); model.CodeOf(err) != model.CodeUnauthenticated {
		t.Errorf("KeyFor after the end: got %q, %v, want it refused", key, err)
	}
	if _, err := keys.KeyFor(t.Context(), user.ID, client, user.AccessVersion); err != nil {
		t.Errorf("KeyFor of the new version: got %v, want a key", err)
	}
}

func TestRevokeKey_leaves_the_successor_alone(t *testing.T) {
	t.Parallel()
	database := testdb.Open(t)
	keys, user := newKeys(t, database), testdb.User(t, database, 0)
	old, err := keys.EnsureKey(t.Context(), user.ID)
	check(t, err)
	made, err := keys.Generate(t.Context(), user)
	check(t, err)
	check(t, keys.RevokeKey(t.Context(), old))
	if _, err := keys.Caller(t.Context(), made); err != nil {
		t.Errorf("new key after the old was revoked again: got %v, want no error", err)
	}
}

func TestShow_under_another_secret(t *testing.T) {
	t.Parallel()
	database := testdb.Open(t)
	keys, user := newKeys(t, database), testdb.User(t, database, 0)
	key, err := keys.EnsureKey(t.Context(), user.ID)
	check(t, err)
	if shown, err := keys.Show(t.Context(), user.ID); err != nil || shown != key {
		t.Errorf("Show: got %q, %v, want %q", shown, err, key)
	}
	changed, err := auth.NewKeys(database, []byte("another secret of 16 and more"))
	check(t, err)
	if _, err := changed.Show(t.Context(), user.ID); !errors.Is(err, model.ErrKeySealed) {
		t.Errorf("Show under another secret: got %v, want %v", err, model.ErrKeySealed)
	}
	if _, err := changed.EnsureKey(t.Context(), user.ID); !errors.Is(err, model.ErrKeySealed) || !strings.Contains(err.Error(), user.ID) {
		t.Errorf("EnsureKey under another secret: got %v, want %v and the user", err, model.ErrKeySealed)
	}
	made, err := changed.Generate(t.Context(), user)
	check(t, err)
	if shown, err := changed.Show(t.Context(), user.ID); err != nil || shown != made {
		t.Errorf("Show of a new key: got %q, %v, want %q", shown, err, made)
	}
}

func TestWatch_ends_on_every_replica(t *testing.T) {
	t.Parallel()
	database, url := testdb.OpenURL(t)
	other, err := db.Open(t.Context(), db.Options{URL: url, Connections: 2})
	check(t, err)
	t.Cleanup(func() { check(t, other.Close()) })
	here, there, user := newKeys(t, database), newKeys(t, other), testdb.User(t, database, 0)
	key, err := here.EnsureKey(t.Context(), user.ID)
	check(t, err)
	caller, err := there.Caller(t.Context(), key)
	check(t, err)
	var watched []context.Context
	for _, keys := range []*auth.Keys{here, there} {
		ctx, stop := keys.Watch(t.Context(), caller.KeyID)
		defer stop()
		watched = append(watched, ctx)
	}
	_, err = here.Generate(t.Context(), user)
	check(t, err)
	for i, ctx := range watched {
		select {
		case <-ctx.Done():
		case <-time.After(time.Minute): // an idle machine takes milliseconds
			t.Fatalf("replica %d: got nothing for a minute, want the end", i)
		}
		if got, want := model.CodeOf(context.Cause(ctx)), model.CodeUnauthenticated; got != want {
			t.Errorf("replica %d: cause: got %q, want %q", i, got, want)
		}
	}
	late, stop := there.Watch(t.Context(), caller.KeyID)
	defer stop()
	<-late.Done() // revoked before the watch began
}

// The announcement may be lost: the process that revokes may be killed before it.
func TestWatch_ends_without_an_announcement(t *testing.T) {
	t.Parallel()
	database, url := testdb.OpenURL(t)
	keys, user := newKeys(t, database), testdb.User(t, database, 0)
	key, err := keys.EnsureKey(t.Context(), user.ID)
	check(t, err)
	caller, err := keys.Caller(t.Context(), key)
	check(t, err)
	var watched []context.Context
	for range 3 {
		ctx, stop := keys.Watch(t.Context(), caller.KeyID)
		defer stop()
		watched = append(watched, ctx)
	}
	execute(t, url, "UPDATE api_keys SET revoked_at = now()")
	late := time.After(time.Minute) // an idle machine takes half a second
	for _, ctx := range watched {
		select {
		case <-ctx.Done():
		case <-late:
			t.Fatal("watch: got nothing for a minute, want the end")
		}
	}
}

func TestWatch_stops(t *testing.T) {
	t.Parallel()
	database := testdb.Open(t)
	keys, user := newKeys(t, database), testdb.User(t, database, 0)
	key, err := keys.EnsureKey(t.Context(), user.ID)
	check(t, err)
	caller, err := keys.Caller(t.Context(), key)
	check(t, err)
	ctx, stop := keys.Watch(t.Context(), caller.KeyID)
	if ctx.Err() != nil {
		t.Errorf("context: got %v, want it alive", ctx.Err())
	}
	stop()
	<-ctx.Done()
	if got, want := context.Cause(ctx), context.Canceled; got != want {
		t.Errorf("cause: got %v, want %v", got, want)
	}
}
