package db

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"portico/model"
)

// wrongTotals returns the kept totals that differ from the rows.
func wrongTotals(t testing.TB, db *DB) (wrong []Miscount) {
	t.Helper()
	check(t, db.idb.NewRaw("SELECT list AS id, kept, counted FROM ("+MiscountQueries()[TotalsMiscount]+") AS m").Scan(t.Context(), &wrong))
	return wrong
}

// total returns the number of the space's entities as a client reads it.
func total(t testing.TB, db *DB, spaceID string) int {
	t.Helper()
	page, err := db.Entities().Entities(t.Context(), spaceID, model.Page{Limit: 1})
	check(t, err)
	return page.TotalCount
}

// addEntities adds so many entities to the space with one statement. Its owner gets much
// room: an account without it counts each entity with a look at all of its storage.
func addEntities(t testing.TB, db *DB, space *model.Space, count int) {
	t.Helper()
	_, err := db.root.NewRaw("UPDATE users SET quota = ? WHERE id = ?", 1<<40, space.OwnerID).Exec(t.Context())
	check(t, err)
	_, err = db.root.NewRaw("INSERT INTO entities (space_id, entity_id, type) SELECT ?, 'many' || n, 'Simple' FROM generate_series(1, ?) AS n",
		space.ID, count).Exec(t.Context())
	check(t, err)
}

// The first reader of a list of over a thousand keeps its total while others write it.
func TestTotals_are_exact_under_concurrent_writers(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	user := addUser(t, db)
	space := addSpace(t, db, user, "long")
	addEntities(t, db, space, model.MaxCounted-20)
	var writers, readers sync.WaitGroup
	ctx, stop := context.WithCancel(t.Context())
	for w := range 6 {
		writers.Go(func() {
			random := rand.New(rand.NewPCG(7, uint64(w)))
			for i := range 60 {
				if err := changeAtRandom(t.Context(), db, space, fmt.Sprintf("%d-%d", w, random.IntN(i+1)), random.IntN(8)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 2 {
		readers.Go(func() {
			for ctx.Err() == nil {
				if _, err := db.Entities().Entities(t.Context(), space.ID, model.Page{Limit: 1}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	stop()
	readers.Wait()
	if wrong := wrongTotals(t, db); len(wrong) > 0 {
		t.Errorf("totals: got %v", wrong)
	}
	kept := number(t, db, "SELECT count(*) FROM totals WHERE list = ?", space.ID)
	if got := total(t, db, space.ID); got > model.MaxCounted && kept == 0 {
		t.Errorf("a list of %d: its total is not kept", got)
	}
}

// changeAtRandom adds or deletes one of the entities of the space, or adds, publishes or
// deletes a space of the same owner.
func changeAtRandom(ctx context.Context, db *DB, space *model.Space, name string, what int) error {
	switch what {
	case 0, 1, 2, 3:
		_, err := db.Entities().AddEntity(ctx, model.NewEntity(space.ID, name, model.TypeSimple, nil))
		return err
	case 4:
		_, err := db.Entities().DeleteOwnedEntity(ctx, space.OwnerID, space.ID, name)
		return err
	case 5:
		added := model.NewSpace(space.OwnerID, model.CreateSpace{SpaceTextInput: model.SpaceTextInput{Title: &name}}, nil)
		return db.Spaces().AddSpace(ctx, added, []*model.Entity{model.NewEntity(added.ID, name, model.TypeSimple, nil)})
	}
	spaces, err := db.Spaces().SpacesOf(ctx, space.OwnerID, model.SpaceFilter{}, model.Page{Limit: 5})
	if err != nil || spaces.Nodes[0].ID == space.ID {
		return err
	}
	if what == 6 {
		_, err = db.Spaces().DeleteSpace(ctx, spaces.Nodes[0].ID)
		return err
	}
	public := model.Public
	if _, err = db.Spaces().UpdateSpace(ctx, model.UpdateSpace{SpaceID: spaces.Nodes[0].ID, Privacy: &public}); model.CodeOf(err) == model.CodeNotFound {
		return nil // another writer deleted it
	}
	return err
}

func TestTotals_follow_each_change(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	user, other := addUser(t, db), addUser(t, db)
	space := addSpace(t, db, user, "long")
	addSpace(t, db, other, "short")
	addEntities(t, db, space, model.MaxCounted+200)
	for _, step := range []struct {
		name   string
		change func()
		want   int
	}{
		{"counted", func() {}, model.MaxCounted + 200},
		{"added", func() { addEntity(t, db, space, "one", model.TypeSimple, `{}`) }, model.MaxCounted + 201},
		{"deleted", func() {
			_, err := db.root.NewRaw("DELETE FROM entities WHERE space_id = ? AND entity_id LIKE 'many1%'", space.ID).Exec(t.Context())
			check(t, err)
		}, 889},
		{"not_added", func() {
			if added, err := db.Entities().AddEntity(t.Context(), model.NewEntity(space.ID, "one", model.TypeSimple, nil)); err != nil || added {
				t.Errorf("the entity that is there: got added %v and error %v", added, err)
			}
		}, 889},
	} {
		step.change()
		if got := total(t, db, space.ID); got != step.want {
			t.Errorf("%s: got a total of %d, want %d", step.name, got, step.want)
		}
	}
	addFile(t, db, user)
	public := model.Public
	_, err := db.Spaces().UpdateSpace(t.Context(), model.UpdateSpace{SpaceID: space.ID, Privacy: &public})
	check(t, err)
	if wrong := wrongTotals(t, db); len(wrong) > 0 {
		t.Errorf("totals: got %v", wrong)
	}
	check(t, db.Accounts().DeleteUser(t.Context(), user.ID, func() error { return nil }))
	if wrong := wrongTotals(t, db); len(wrong) > 0 {
		t.Errorf("totals after the account's end: got %v", wrong)
	}
	if left := number(t, db, "SELECT count(*) FROM totals WHERE list LIKE ? || '%'", user.ID); left != 0 {
		t.Errorf("totals of the deleted account: got %d, want none", left)
	}
}

// What a client reads is the kept total: nothing is counted.
func TestTotals_are_read_and_not_counted(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ctx, user := t.Context(), addUser(t, db)
	space := addSpace(t, db, user, "long")
	addFile(t, db, user)
	public := model.Public
	_, err := db.Spaces().UpdateSpace(ctx, model.UpdateSpace{SpaceID: space.ID, Privacy: &public})
	check(t, err)
	addEntities(t, db, space, model.MaxCounted+1)
	total(t, db, space.ID) // keeps it
	_, err = db.root.NewRaw("UPDATE totals SET rows = 5000 WHERE rows > 0").Exec(ctx)
	check(t, err)
	first, behind := model.Page{Limit: 1}, model.Page{Limit: 1, After: 1 << 40}
	for name, read := range map[string]func(page model.Page) (int, error){
		"entities": func(page model.Page) (int, error) {
			found, err := db.Entities().Entities(ctx, space.ID, page)
			return found.TotalCount, err
		},
		"entities of spaces": func(page model.Page) (int, error) {
			page.BothDirections = true
			found, err := db.Entities().EntitiesOf(ctx, []string{space.ID}, model.EntityFilter{}, page)
			return found[space.ID].TotalCount, err
		},
		"spaces": func(page model.Page) (int, error) {
			found, err := db.Spaces().SpacesOf(ctx, user.ID, model.SpaceFilter{Privacy: []model.Privacy{model.Public}}, page)
			return found.TotalCount, err
		},
		"public spaces": func(page model.Page) (int, error) {
			found, err := db.Spaces().PublicSpaces(ctx, model.SpaceFilter{}, page)
			return found.TotalCount, err
		},
		"public spaces of accounts": func(page model.Page) (int, error) {
			found, err := db.Spaces().PublicSpacesOf(ctx, []string{user.ID}, page)
			return found[user.ID].TotalCount, err
		},
		"files": func(page model.Page) (int, error) {
			found, err := db.Files().Files(ctx, user.ID, model.FileFilter{}, page)
			return found.TotalCount, err
		},
	} {
		for _, page := range []model.Page{first, behind} {
			if got, err := read(page); err != nil || got != 5000 {
				t.Errorf("%s: got a total of %d and error %v, want 5000", name, got, err)
			}
		}
	}
}

// A filtered list is counted up to a limit.
func TestTotals_of_filtered_lists_are_bounded(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	space := addSpace(t, db, addUser(t, db), "long")
	addEntities(t, db, space, model.MaxCounted+200)
	found, err := db.Entities().EntitiesOf(t.Context(), []string{space.ID}, model.EntityFilter{Type: []string{"Simple"}}, model.Page{Limit: 1})
	check(t, err)
	if got := found[space.ID].TotalCount; got != model.MaxCounted {
		t.Errorf("total: got %d, want %d", got, model.MaxCounted)
	}
}

// A change that is not committed yet would be missing in a total that is kept meanwhile.
func TestTotals_are_kept_when_no_change_is_under_way(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]string{
		"insert": "INSERT INTO entities (space_id, entity_id, type) VALUES (?, 'one', 'Simple')",
		"delete": "DELETE FROM entities WHERE space_id = ? AND entity_id = 'many1'",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := testDB(t)
			space := addSpace(t, db, addUser(t, db), "long")
			addEntities(t, db, space, model.MaxCounted+2)
			const kept = "SELECT count(*) FROM totals WHERE list = ?"
			err := db.InTx(t.Context(), func(tx *DB) error {
				_, err := tx.idb.NewRaw(change, space.ID).Exec(t.Context())
				check(t, err)
				if got := total(t, db, space.ID); got != model.MaxCounted+2 {
					t.Errorf("total before the commit: got %d, want %d", got, model.MaxCounted+2)
				}
				if got := number(t, db, kept, space.ID); got != 0 {
					t.Errorf("parts before the commit: got %d, want none", got)
				}
				return nil
			})
			check(t, err)
			entities := number(t, db, "SELECT count(*) FROM entities WHERE space_id = ? AND entity_id <> 'RoomInfo'", space.ID)
			if got := total(t, db, space.ID); got != entities || number(t, db, kept, space.ID) == 0 {
				t.Errorf("total: got %d, want %d, kept", got, entities)
			}
		})
	}
}

// Postgres expects half of the table in each of two spaces, and so to find a thousand rows of any
// space soon without an index. The space that is listed has three.
func TestEntities_of_a_small_space_are_counted_by_an_index(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	user := addUser(t, db)
	large, small := addSpace(t, db, user, "Large"), addSpace(t, db, user, "Small")
	addEntities(t, db, large, 5000)
	addEntities(t, db, small, 3)
	asAdmin(t, db, "ANALYZE")
	page := model.Page{Limit: 200}
	calls := statementsOf{
		"Entities": func(ctx context.Context, db *DB) error {
			_, err := db.Entities().Entities(ctx, small.ID, page)
			return err
		},
		"OwnedEntities": func(ctx context.Context, db *DB) error {
			_, err := db.Entities().OwnedEntities(ctx, user.ID, small.ID, page)
			return err
		},
		"EntitiesOfAnySize": func(ctx context.Context, db *DB) error {
			_, err := db.Entities().EntitiesOfAnySize(ctx, small.ID, page)
			return err
		},
	}
	for name, call := range calls {
		for _, plan := range plansOf(t, db, call) {
			if strings.Contains(plan, "Seq Scan on entities") {
				t.Errorf("%s: got a scan of all entities, want an index\n%s", name, plan)
			}
		}
	}
}
