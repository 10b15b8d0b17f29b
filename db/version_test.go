package db

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"portico/model"
)

var keepAll = model.HistoryLimits{Versions: 1000, Age: 24 * time.Hour}

// asCaller returns a context of a request of the user through a door.
func asCaller(t testing.TB, user *model.User, door string) context.Context {
	t.Helper()
	ctx := model.WithOrigin(t.Context(), model.Origin{Door: door})
	return model.WithCaller(ctx, &model.Caller{UserID: user.ID})
}

func record(t testing.TB, db *DB, limits model.HistoryLimits) {
	t.Helper()
	_, err := db.History().RecordFreeVersions(t.Context(), "", limits, 10_000)
	check(t, err)
}

// versionsOf returns the versions of the space, newest first.
func versionsOf(t testing.TB, db *DB, spaceID string) []*model.SpaceVersion {
	t.Helper()
	page, err := db.History().Versions(t.Context(), spaceID, model.Page{Limit: 200})
	check(t, err)
	return page.Nodes
}

// summary returns what a list of versions shows, one line for each.
func summary(all []*model.SpaceVersion) string {
	var lines []string
	for _, v := range all {
		line := fmt.Sprintf("%d %s +%d ~%d -%d", v.Number, v.Door, v.Created, v.Updated, v.Deleted)
		if v.IsChangeSet {
			line += " set"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "; ")
}

// put stores an entity of a space for its owner.
func put(ctx context.Context, t testing.TB, db *DB, space *model.Space, id, data string) {
	t.Helper()
	entity := model.NewEntity(space.ID, id, model.TypeSimple, model.Object(data))
	_, _, err := db.Entities().PutOwnedEntity(ctx, space.OwnerID, entity, nil, false)
	check(t, err)
}

func TestRecordVersions_makes_a_version_of_each_burst_and_change_set(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	user := addUser(t, db)
	space := addSpace(t, db, user, "hall")
	rest, graphql := asCaller(t, user, model.DoorREST), asCaller(t, user, model.DoorGraphQL)
	put(rest, t, db, space, "a", `{"n":1}`)
	put(rest, t, db, space, "a", `{"n":2}`)
	put(rest, t, db, space, "gone", `{}`)
	_, err := db.Entities().DeleteOwnedEntity(rest, user.ID, space.ID, "gone")
	check(t, err)
	put(graphql, t, db, space, "a", `{"n":3}`)
	title := "Court"
	_, err = db.Spaces().UpdateSpace(graphql, model.UpdateSpace{SpaceID: space.ID, SpaceTextInput: model.SpaceTextInput{Title: &title}})
	check(t, err)
	record(t, db, keepAll)
	put(graphql, t, db, space, "b", `{}`) // goes on the burst
	check(t, db.History().AsChangeSet(graphql, 0, func(tx *DB) error {
		var entities []*model.Entity
		for i := range 1000 {
			entities = append(entities, model.NewEntity(space.ID, fmt.Sprintf("many%d", i), model.TypeSimple, model.Object(`{}`)))
		}
		_, err := tx.Entities().ReplaceEntities(graphql, space.ID, entities)
		return err
	}))
	put(graphql, t, db, space, "a", `{"n":3}`) // changes nothing
	record(t, db, keepAll)
	got, want := summary(versionsOf(t, db, space.ID)), "3 graphql +1000 ~0 -0 set; 2 graphql +1 ~2 -0; 1 rest +1 ~0 -0"
	if got != want {
		t.Errorf("versions: got %s, want %s", got, want)
	}
	if n := number(t, db, "SELECT count(*) FROM changes"); n != 0 {
		t.Errorf("changes that no version has: got %d, want 0", n)
	}
	changes, err := db.History().SpaceChanges(t.Context(), space.ID, 1, 2, model.Page{Limit: 10})
	check(t, err)
	var lines []string
	for _, c := range changes.Nodes {
		lines = append(lines, fmt.Sprintf("%q %s>%s", c.Target, c.Before, c.After))
	}
	want = `"" {"data": {}, "title": "hall", "licence": "", "privacy": "Private", "description": ""}>` +
		`{"data": {}, "title": "Court", "licence": "", "privacy": "Private", "description": ""}; ` +
		`"a" {"n": 2}>{"n": 3}; "b" >{}`
	if got := strings.Join(lines, "; "); got != want {
		t.Errorf("changes of version 2: got\n%s, want\n%s", got, want)
	}
}

func TestHistory_counts_as_storage_and_goes_with_its_space(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	user := addUser(t, db)
	space, other := addSpace(t, db, user, "here"), addSpace(t, db, user, "there")
	ctx := asCaller(t, user, model.DoorREST)
	used := func() int64 {
		storage, err := db.Accounts().Storage(t.Context(), user.ID)
		check(t, err)
		return storage.Used
	}
	for _, s := range []*model.Space{space, other} {
		put(ctx, t, db, s, "a", string(jsonOf(5000)))
		put(ctx, t, db, s, "b", string(jsonOf(7000)))
		_, err := db.Entities().DeleteOwnedEntity(ctx, user.ID, s.ID, "b")
		check(t, err)
	}
	before := used()
	record(t, db, keepAll)
	check(t, db.History().AsChangeSet(ctx, 0, func(tx *DB) error { return tx.Entities().DeleteEntities(ctx, space.ID, []string{"a"}) }))
	if got := used(); got >= before {
		t.Errorf("used after a deletion: got %d, want less than %d", got, before)
	}
	record(t, db, keepAll)
	sum := number(t, db, "SELECT sum(bytes) FROM space_versions")
	if sum < 5000 || number(t, db, "SELECT bytes FROM history_usage") != sum {
		t.Errorf("bytes of the history: got %d, want over 5000 and what is counted for the account", sum)
	}
	for _, s := range []*model.Space{space, other} {
		_, err := db.Spaces().DeleteSpace(ctx, s.ID)
		check(t, err)
	}
	record(t, db, keepAll)
	if got := used(); got != 0 {
		t.Errorf("used without spaces: got %d, want 0", got)
	}
	if n := number(t, db, "SELECT (SELECT count(*) FROM changes) + (SELECT count(*) FROM version_changes)"); n != 0 {
		t.Errorf("rows of a deleted history: got %d, want 0", n)
	}
}

func TestHistory_is_bounded(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	user := addUser(t, db)
	setQuota(t, db, user, 1<<20)
	space := addSpace(t, db, user, "hall")
	doors := []string{model.DoorREST, model.DoorGraphQL}
	write := func(n, bytes int) {
		for i := range n {
			data := fmt.Sprintf(`{"n":%d,"text":%q}`, i, strings.Repeat("x", bytes))
			put(asCaller(t, user, doors[i%2]), t, db, space, "a", data)
		}
	}
	list := func() string { return summary(versionsOf(t, db, space.ID)) }
	write(5, 100)
	record(t, db, model.HistoryLimits{Versions: 3, Age: time.Hour})
	if got, want := list(), "5 rest +0 ~1 -0; 4 graphql +0 ~1 -0; 3 rest +0 ~1 -0"; got != want {
		t.Errorf("three versions: got %s, want %s", got, want)
	}
	for _, test := range []struct {
		limits model.HistoryLimits
		want   int
	}{
		{model.HistoryLimits{Versions: 3, Age: time.Hour}, 3}, {model.HistoryLimits{Versions: 3}, 1}, {model.HistoryLimits{}, 0},
	} {
		_, err := db.History().PurgeHistory(t.Context(), test.limits, 10)
		check(t, err)
		if got := len(versionsOf(t, db, space.ID)); got != test.want {
			t.Errorf("versions with the limits %v: got %d, want %d", test.limits, got, test.want)
		}
	}
	write(10, 300_000) // ten versions of 300 kB in a quota of 1 MiB
	record(t, db, keepAll)
	storage, err := db.Accounts().Storage(t.Context(), user.ID)
	check(t, err)
	if n := len(versionsOf(t, db, space.ID)); n == 0 || n > 3 || storage.Used > storage.Quota {
		t.Errorf("full storage: got %d versions and %d bytes, want 1 to 3 versions and at most %d bytes", n, storage.Used, storage.Quota)
	}
	write(2, 100)
	record(t, db, model.HistoryLimits{})
	if n := number(t, db, "SELECT count(*) FROM changes"); n != 0 {
		t.Errorf("changes without a history: got %d, want 0", n)
	}
}

// A client that knows the number of a version must not get another version by it.
func TestHistory_of_a_full_account_never_uses_a_number_again(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	user := addUser(t, db)
	spaces := []*model.Space{addSpace(t, db, user, "hall"), addSpace(t, db, user, "yard")}
	quota := user.Quota
	for i, want := range []string{"2 graphql +0 ~1 -0", "3 mcp +0 ~1 -0", "4 rest +0 ~1 -0"} {
		setQuota(t, db, user, quota)
		doors := [][]string{{model.DoorREST, model.DoorGraphQL}, {model.DoorMCP}, {model.DoorREST}}[i]
		for n, door := range doors {
			for _, space := range spaces {
				put(asCaller(t, user, door), t, db, space, "a", fmt.Sprintf(`{"n":%d}`, 10*i+n))
			}
		}
		setQuota(t, db, user, 1)
		record(t, db, keepAll)
		for _, space := range spaces {
			if got := summary(versionsOf(t, db, space.ID)); got != want {
				t.Errorf("%s, round %d: got %q, want %q", space.Title, i+1, got, want)
			}
		}
	}
}
