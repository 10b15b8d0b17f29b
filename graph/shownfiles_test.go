package graph_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"portico/graph"
	"portico/graph/access"
	"portico/model"
	"portico/storage"
)

// signing is a store that protects files.
type signing struct{ storage.Store }

func (s signing) ReadURL(_ context.Context, key string) (string, error) {
	return s.PublicURL(key) + "#signed", nil
}

func TestShownFiles_are_in_spaces_that_others_may_read(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	file, other := w.file(w.alice, "room.ply"), w.file(w.alice, "other.ply")
	shows := func(when string, file *model.File, want bool) {
		t.Helper()
		now := &graph.ShownFiles{DB: w.db} // one that remembers nothing
		for _, key := range []string{file.StorageKey(), file.DerivedStorageRoot() + "poster.jpg"} {
			got, err := now.Shown(t.Context(), key)
			check(t, err)
			equal(t, when+": "+key, got, want)
		}
	}
	space := w.space(w.alice, model.SpaceInfinite)
	set := func(privacy model.Privacy) {
		t.Helper()
		w.exec("UPDATE spaces SET privacy = $1 WHERE id = $2", privacy, space.ID)
	}
	shows("in no space", file, false)
	_, err := w.put(model.CreateEntity{SpaceID: space.ID, ResourceKey: &file.ResourceKey})
	check(t, err)
	shows("in a Private space", file, false)
	set(model.LinkOnly)
	shows("in a Link Only space", file, true)
	shows("beside it", other, false)
	set(model.Public)
	shows("in a Public space", file, true)
	_, err = w.put(model.CreateEntity{SpaceID: space.ID, Data: model.NewObject(map[string]any{
		"looks": []string{w.store.PublicURL(other.StorageKey())},
	})})
	check(t, err)
	shows("in any field", other, true)
	set(model.Private)
	shows("Private again", file, false)

	// Who has the address of another's file publishes nothing with it.
	theirs := w.space(w.bob, model.SpaceInfinite)
	w.exec("UPDATE spaces SET privacy = 'Public' WHERE id = $1", theirs.ID)
	_, err = w.Mutation().CreateEntity(w.bob.ctx, model.CreateEntity{
		SpaceID: theirs.ID, Data: model.NewGLBURL(w.store.PublicURL(file.StorageKey())),
	})
	check(t, err)
	shows("in the space of another user", file, false)
	if got, err := (&graph.ShownFiles{DB: w.db}).Shown(t.Context(), "1/a.ply"); got || err != nil {
		t.Errorf("not a file: got %v, %v, want false", got, err)
	}
}

func TestShownFiles_looks_again_soon(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	file := w.file(w.alice, "room.ply")
	shelf := &graph.ShownFiles{DB: w.db}
	shown := func() bool {
		t.Helper()
		got, err := shelf.Shown(t.Context(), file.StorageKey())
		check(t, err)
		return got
	}
	equal(t, "before", shown(), false)
	space := w.space(w.alice, model.SpaceInfinite)
	_, err := w.put(model.CreateEntity{SpaceID: space.ID, ResourceKey: &file.ResourceKey})
	check(t, err)
	w.exec("UPDATE spaces SET privacy = 'Public'")
	ctx, cancel := context.WithTimeout(t.Context(), graph.MaxShownAge)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !shown() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatal("a file that a space shows: got false for a minute, want true soon")
		}
	}
}

func TestShownFiles_removes_the_oldest_account_of_a_full_cache(t *testing.T) {
	t.Parallel()
	files := &graph.ShownFiles{}
	first, visited := files.Account("first"), files.Account("visited")
	for i := range 2 * graph.MaxShownAccounts {
		files.Account(fmt.Sprint("account ", i))
		if files.Account("visited") != visited {
			t.Fatalf("an account that is visited: got a new entry after %d others, want it kept", i+1)
		}
	}
	if files.Account("first") == first {
		t.Error("an account that is not visited: got its entry, want it removed")
	}
	equal(t, "accounts", files.Accounts(), graph.MaxShownAccounts)
}

// Anybody may ask for the files of any account, without a key.
func TestShownFiles_keeps_accounts_while_strangers_ask_for_invented_ones(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	files, file := &graph.ShownFiles{DB: w.db}, w.file(w.alice, "room.ply")
	_, rest, _ := strings.Cut(file.StorageKey(), "/")
	space := w.space(w.alice, model.SpaceInfinite)
	_, err := w.put(model.CreateEntity{SpaceID: space.ID, ResourceKey: &file.ResourceKey})
	check(t, err)
	w.exec("UPDATE spaces SET privacy = 'Public'")
	oldest, visited := files.Account("oldest"), files.Account("visited")
	shows := func(userID string, want bool) {
		t.Helper()
		got, err := files.Shown(t.Context(), userID+"/"+rest)
		check(t, err)
		equal(t, "file of "+userID, got, want)
	}
	shows(w.alice.id, true)
	alice := files.Account(w.alice.id)
	for i := files.Accounts(); i < graph.MaxShownAccounts; i++ {
		files.Account(fmt.Sprint("account ", i))
	}
	for i := range 10 {
		shows(fmt.Sprint("1000000", i), false)
	}
	if files.Account("visited") != visited || files.Account(w.alice.id) != alice {
		t.Error("accounts that were visited: got new entries, want them kept")
	}
	if files.Account("oldest") == oldest {
		t.Error("the least recently used account: got its entry, want it removed")
	}
}

// A query that fails may have taken until the time limit of the database.
func TestShownFiles_do_not_repeat_a_failed_load_at_once(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	files, file := &graph.ShownFiles{DB: w.db}, w.file(w.alice, "room.ply")
	w.exec("ALTER TABLE spaces RENAME TO hidden")
	start := time.Now()
	_, want := files.Shown(t.Context(), file.StorageKey())
	account := files.Account(w.alice.id)
	if cached := account.Until().Sub(start); want == nil || cached < graph.MinShownAge {
		t.Fatalf("without the table: got %v for %v, want an error for a second", want, cached)
	}
	w.exec("ALTER TABLE hidden RENAME TO spaces")
	account.SetUntil(time.Now().Add(time.Hour))
	if _, got := files.Shown(t.Context(), file.StorageKey()); got == nil || got.Error() != want.Error() {
		t.Errorf("while the error is cached: got %v, want %v", got, want)
	}
	account.SetUntil(time.Time{})
	_, err := files.Shown(t.Context(), file.StorageKey())
	check(t, err)
}

func TestShownFiles_load_again_after_a_request_that_ended(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	files, file := &graph.ShownFiles{DB: w.db}, w.file(w.alice, "room.ply")
	ended, end := context.WithCancel(t.Context())
	end()
	files.Load(ended, files.Account(w.alice.id))
	_, err := files.Shown(t.Context(), file.StorageKey())
	check(t, err)
}

func TestShownFiles_do_not_wait_after_the_end_of_the_request(t *testing.T) {
	t.Parallel()
	files := &graph.ShownFiles{}
	turn, err := files.TakeTurn(t.Context(), "1")
	check(t, err)
	defer turn.Leave()
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := files.Shown(ended, "1/api_uploads/2_room.ply"); !errors.Is(err, context.Canceled) {
		t.Errorf("while another request loads: got %v, want %v", err, context.Canceled)
	}
}

func TestShownFiles_end_with_the_access_to_their_space(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	files := &graph.ShownFiles{DB: w.db}
	file := w.file(w.alice, "room.ply")
	shows := func(when string, want bool) {
		t.Helper()
		got, err := files.Shown(t.Context(), file.StorageKey())
		check(t, err)
		equal(t, when, got, want)
	}
	var spaces []string
	for range 2 {
		space := w.space(w.alice, model.SpaceInfinite)
		_, err := w.put(model.CreateEntity{SpaceID: space.ID, ResourceKey: &file.ResourceKey})
		check(t, err)
		spaces = append(spaces, space.ID)
	}
	w.exec("UPDATE spaces SET privacy = 'Public'")
	shows("in two Public spaces", true)
	// The list of shown files is not read again on its own.
	files.Account(w.alice.id).SetUntil(time.Now().Add(time.Hour))
	w.exec("UPDATE spaces SET privacy = 'Private' WHERE id = $1", spaces[0])
	shows("in one Public space", true)
	w.exec("UPDATE spaces SET privacy = 'Private' WHERE id = $1", spaces[1])
	shows("in Private spaces", false)

	w.exec("UPDATE spaces SET privacy = 'Link Only' WHERE id = $1", spaces[0])
	files.Account(w.alice.id).SetUntil(time.Time{})
	shows("in a Link Only space", true)
	files.Account(w.alice.id).SetUntil(time.Now().Add(time.Hour))
	w.exec("DELETE FROM spaces WHERE id = $1", spaces[0])
	shows("in a deleted space", false)
}

func TestShownFiles_of_many_spaces_are_shown_by_the_last_one(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	files := &graph.ShownFiles{DB: w.db}
	file := w.file(w.alice, "room.ply")
	last := w.space(w.alice, model.SpaceInfinite)
	_, err := w.put(model.CreateEntity{SpaceID: last.ID, ResourceKey: &file.ResourceKey})
	check(t, err)
	w.makeRoom()
	w.exec(`INSERT INTO spaces (id, owner_id, title, description, type, privacy, data)
		SELECT $1 || '_' || n, $1, '', '', 'infinite', 'Public', jsonb_build_object('shows', $2::text) FROM generate_series(1, 50) n`,
		w.alice.id, file.StorageKey())
	w.exec("UPDATE spaces SET privacy = 'Public'")
	for _, step := range []struct {
		change string
		want   bool
	}{
		{"id <> $1", true}, {"id = $1", false},
	} {
		got, err := files.Shown(t.Context(), file.StorageKey())
		check(t, err)
		equal(t, "before the change", got, true)
		files.Account(w.alice.id).SetUntil(time.Now().Add(time.Hour))
		w.exec("UPDATE spaces SET privacy = 'Private' WHERE "+step.change, last.ID)
		got, err = files.Shown(t.Context(), file.StorageKey())
		check(t, err)
		equal(t, "after "+step.change+" turned Private", got, step.want)
	}
}

func TestReadURL_is_signed_for_the_owner_of_the_file(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.useStore(signing{w.store})
	file := w.file(w.alice, "room.ply")
	public := w.store.PublicURL(file.StorageKey())
	for _, test := range []struct {
		name string
		ctx  context.Context
		want string
	}{{"its owner", w.alice.ctx, public + "#signed"}, {"another user", w.bob.ctx, public}, {"a visitor", t.Context(), public}} {
		got := w.FileReadURL(test.ctx, file)
		equal(t, "file for "+test.name, got, test.want)
		entity := &model.Entity{Data: model.NewGLBURL(public)}
		address := w.EntityReadURL(test.ctx, entity)
		equal(t, "entity for "+test.name, model.Deref(address), test.want)
	}
	for _, data := range []string{`{}`, `{"glbUrl":5}`, `{"glbUrl":"https://elsewhere.example/a.glb"}`} {
		got := w.EntityReadURL(w.alice.ctx, &model.Entity{Data: model.Object(data)})
		if got != nil {
			t.Errorf("entity with %s: got %s, want none", data, *got)
		}
	}
}

// The test runs access.MayRead without a caller and its two forms as SQL on the same spaces.
func TestMayRead_agrees_with_its_forms_in_SQL(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	file, space := w.file(w.alice, "room.ply"), w.space(w.alice, model.SpaceInfinite)
	_, err := w.put(model.CreateEntity{SpaceID: space.ID, ResourceKey: &file.ResourceKey})
	check(t, err)
	for _, privacy := range []model.Privacy{model.Private, model.LinkOnly, model.Public} {
		w.exec("UPDATE spaces SET privacy = $1 WHERE id = $2", privacy, space.ID)
		current, err := w.db.Spaces().Space(t.Context(), space.ID)
		check(t, err)
		readable, err := w.db.Spaces().AnyReadable(t.Context(), []string{space.ID})
		check(t, err)
		equal(t, string(privacy)+": AnyReadable", readable, access.MayRead(access.Reader{}, current))
		shown, err := w.db.Spaces().ShownFiles(t.Context(), w.alice.id, false)
		check(t, err)
		equal(t, string(privacy)+": ShownFiles", len(shown) == 1, access.MayRead(access.Reader{}, current))
	}
}

func TestShownFiles_are_files_of_an_assigned_avatar(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	glb, splat, other := w.file(w.alice, "figure.glb"), w.file(w.alice, "person.spz"), w.file(w.alice, "other.ply")
	in := model.CreateAvatar{GLB: glb.ResourceKey, Splat: splat.ResourceKey, Binding: glb.ResourceKey, Fit: glb.ResourceKey}
	shows := func(when string, want bool) {
		t.Helper()
		now := &graph.ShownFiles{DB: w.db}
		for _, key := range []string{glb.StorageKey(), splat.StorageKey(), splat.DerivedStorageRoot() + "view.sog"} {
			got, err := now.Shown(t.Context(), key)
			check(t, err)
			equal(t, when+": "+key, got, want)
		}
		got, err := now.Shown(t.Context(), other.StorageKey())
		check(t, err)
		equal(t, when+": another file", got, false)
	}
	shows("without an avatar", false)
	avatar, err := w.Mutation().CreateAvatar(w.alice.ctx, in)
	check(t, err)
	shows("with an avatar that is not assigned", false)
	in.Assign = true
	_, err = w.Mutation().CreateAvatar(w.alice.ctx, in)
	check(t, err)
	shows("with an assigned avatar", true)
	w.exec("INSERT INTO disabled_accounts (user_id, reason) VALUES ($1, '')", w.alice.id)
	shows("of a disabled account", false)
	w.exec("DELETE FROM disabled_accounts")
	check(t, w.Mutation().DeleteAvatar(w.alice.ctx, avatar.ID))
	shows("after the avatar was deleted", false)
}
