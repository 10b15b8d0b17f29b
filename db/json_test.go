package db

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"

	"portico/model"
)

// jsonOf returns an object of about so many bytes.
func jsonOf(bytes int) model.Object {
	return model.Object(`{"text": "` + strings.Repeat("x", bytes-12) + `"}`)
}

// checkUsage compares what is counted for the account with what its rows have.
func checkUsage(t testing.TB, db *DB, user *model.User) {
	t.Helper()
	storage, err := db.Accounts().Storage(t.Context(), user.ID)
	check(t, err)
	want := number(t, db, `
		SELECT coalesce((SELECT sum(greatest(1, (octet_length(e.data::text || e.state::text) + 255) / 256) * 256)
			FROM entities AS e JOIN spaces AS s ON s.id = e.space_id WHERE s.owner_id = ?0), 0)
		+ coalesce((SELECT sum((octet_length(data::text || title || description) + 255) / 256 * 256)
			FROM spaces WHERE owner_id = ?0), 0)`, user.ID)
	if got := int(storage.Used); got != want {
		t.Errorf("used: got %d, want the %d bytes of the rows", got, want)
	}
}

func TestJSON_counts_as_storage(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ctx, user := t.Context(), addUser(t, db)
	setQuota(t, db, user, 1<<30) // room enough to set some aside
	space, other := addSpace(t, db, user, "here"), addSpace(t, db, user, "there")
	checkUsage(t, db, user)
	addEntity(t, db, other, "e", model.TypeSimple, `{}`)
	merge := func(data model.Object) {
		t.Helper()
		_, err := db.Entities().MergeOwnedEntity(ctx, user.ID, model.UpdateEntity{SpaceID: space.ID, EntityID: "a", Data: data})
		check(t, err)
		checkUsage(t, db, user)
	}
	put := model.NewEntity(space.ID, "a", model.TypeSimple, jsonOf(1000))
	_, created, err := db.Entities().PutOwnedEntity(ctx, user.ID, put, nil, true)
	check(t, err)
	if !created {
		t.Fatal("PutOwnedEntity: got an update, want a new entity")
	}
	checkUsage(t, db, user)
	for _, bytes := range []int{1000, 100_000, 300_000, 20, 255, 256, 257, 3000} {
		merge(jsonOf(bytes))
	}
	put.Data = jsonOf(9000)
	_, _, err = db.Entities().PutOwnedEntity(ctx, user.ID, put, nil, true)
	check(t, err)
	checkUsage(t, db, user)
	title, description := strings.Repeat("ü", 300), strings.Repeat("x", 5000)
	_, err = db.Spaces().UpdateSpace(ctx, model.UpdateSpace{SpaceID: space.ID, SpaceTextInput: model.SpaceTextInput{Title: &title, Description: &description}, Data: jsonOf(2000)})
	check(t, err)
	checkUsage(t, db, user)
	_, err = db.Spaces().Visit(ctx, space.ID, "viewer")
	check(t, err)
	_, err = db.Entities().DeleteOwnedEntity(ctx, user.ID, space.ID, "a")
	check(t, err)
	checkUsage(t, db, user)
	for _, id := range []string{space.ID, other.ID} {
		_, err = db.Spaces().DeleteSpace(ctx, id)
		check(t, err)
		checkUsage(t, db, user)
	}
	storage, err := db.Accounts().Storage(ctx, user.ID)
	check(t, err)
	if storage.Used != 0 {
		t.Errorf("used by nothing: got %d bytes, want 0", storage.Used)
	}
}

// What an entity counts for does not depend on the statement that writes it.
func TestJSON_is_measured_for_every_statement(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	user := addUser(t, db)
	space := addSpace(t, db, user, "space")
	execute := func(query string, args ...any) {
		t.Helper()
		_, err := db.idb.ExecContext(t.Context(), query, args...)
		check(t, err)
		checkUsage(t, db, user)
	}
	execute(`INSERT INTO entities (space_id, entity_id, type, data, bytes, shows)
		VALUES (?, 'a', 'Simple', ?, 1, gen_random_uuid())`, space.ID, jsonOf(1000))
	execute("UPDATE entities SET bytes = 1, data = ? WHERE space_id = ?", jsonOf(5000), space.ID)
	execute(`UPDATE entities SET shows = NULL, data = '{"glbUrl": "address"}' WHERE space_id = ?`, space.ID)
	if got := number(t, db, "SELECT count(*) FROM entities WHERE shows = md5('address')::uuid AND space_id = ? AND entity_id = 'a'", space.ID); got != 1 {
		t.Errorf("entities that show the address: got %d, want 1", got)
	}
}

func TestJSON_is_counted_exactly_by_many_at_once(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	user := addUser(t, db)
	setQuota(t, db, user, 1<<30)
	space := addSpace(t, db, user, "here")
	var all sync.WaitGroup
	for worker := range 8 {
		all.Go(func() {
			for i := range 20 {
				id := fmt.Sprintf("e%d", i%5) // the same ones as the other workers
				entity := model.NewEntity(space.ID, id, model.TypeSimple, jsonOf(20+500*(worker+i)))
				if _, _, err := db.Entities().PutOwnedEntity(t.Context(), user.ID, entity, nil, true); err != nil {
					t.Errorf("put: %v", err)
				}
				if i%3 == 0 {
					if _, err := db.Entities().DeleteOwnedEntity(t.Context(), user.ID, space.ID, id); err != nil {
						t.Errorf("delete: %v", err)
					}
				}
			}
		})
	}
	for range 3 { // with spaces that come and go
		all.Go(func() {
			gone := model.NewSpace(user.ID, model.CreateSpace{}, nil)
			entities := []*model.Entity{model.NewEntity(gone.ID, "e", model.TypeSimple, jsonOf(70_000))}
			if err := db.Spaces().AddSpace(t.Context(), gone, entities); err != nil {
				t.Errorf("add a space: %v", err)
			}
			if _, err := db.Spaces().DeleteSpace(t.Context(), gone.ID); err != nil {
				t.Errorf("delete a space: %v", err)
			}
		})
	}
	all.Wait()
	checkUsage(t, db, user)
}

// The quota is exact to the unit, with concurrent uploads and entities.
func TestJSON_never_passes_the_quota(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	user := addUser(t, db)
	space := addSpace(t, db, user, "here")
	setQuota(t, db, user, 100_000)
	var all sync.WaitGroup
	for worker := range 8 {
		all.Go(func() {
			for i := range 10 {
				entity := model.NewEntity(space.ID, fmt.Sprintf("e%d-%d", worker, i), model.TypeSimple, jsonOf(4000))
				_, _, err := db.Entities().PutOwnedEntity(t.Context(), user.ID, entity, nil, true)
				if code := model.CodeOf(err); err != nil && code != model.CodeQuotaExceeded {
					t.Errorf("put: got %v, want it stored or refused for the quota", err)
				}
			}
		})
	}
	all.Wait()
	checkUsage(t, db, user)
	storage, err := db.Accounts().Storage(t.Context(), user.ID)
	check(t, err)
	// 4096 for an entity, so less than that is left.
	if storage.Used > storage.Quota || storage.Free() >= 4096 {
		t.Errorf("storage: got %+v, want it full and not over", storage)
	}
}

func TestJSON_over_the_quota(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ctx, user := t.Context(), addUser(t, db)
	space := addSpace(t, db, user, "here")
	addEntity(t, db, space, "e", model.TypeSimple, string(jsonOf(5000)))
	addConfirmed(t, db, user, 900)
	storage, err := db.Accounts().Storage(ctx, user.ID)
	check(t, err)
	setQuota(t, db, user, storage.Used)
	merge := func(data model.Object) error {
		_, err := db.Entities().MergeEntity(ctx, model.UpdateEntity{SpaceID: space.ID, EntityID: "e", Data: data})
		return err
	}
	for name, write := range jsonWrites(db, space) {
		err := write(ctx, jsonOf(6000))
		want := &model.Error{Code: model.CodeQuotaExceeded, Message: "Storage quota exceeded", Reason: model.ReasonStorageFull}
		if got := model.AsError(err); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v, want the quota's refusal", name, err)
		}
	}
	checkCode(t, merge(jsonOf(4999)), "") // what does not grow needs no quota
	setQuota(t, db, user, 0)
	checkCode(t, merge(jsonOf(3000)), "")
	checkCode(t, merge(jsonOf(5000)), model.CodeQuotaExceeded)
}

func TestJSON_has_a_maximum(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ctx, user := t.Context(), addUser(t, db)
	setQuota(t, db, user, 1<<30)
	space := addSpace(t, db, user, "here")
	addEntity(t, db, space, "e", model.TypeSimple, `{}`)
	merge := func(data model.Object) error {
		_, err := db.Entities().MergeEntity(ctx, model.UpdateEntity{SpaceID: space.ID, EntityID: "e", Data: data})
		return err
	}
	change := func(data model.Object) error {
		_, err := db.Spaces().UpdateSpace(ctx, model.UpdateSpace{SpaceID: space.ID, Data: data})
		return err
	}
	checkCode(t, merge(jsonOf(model.MaxObject-2)), "") // its state has two bytes
	checkCode(t, merge(jsonOf(model.MaxObject-1)), model.CodeTooLarge)
	checkCode(t, merge(model.Object(`{"more":1}`)), model.CodeTooLarge)
	checkCode(t, change(jsonOf(model.MaxObject)), "")
	checkCode(t, change(jsonOf(model.MaxObject+1)), model.CodeTooLarge)
	checkUsage(t, db, user)
}

// A page ends at its maximum of bytes, and the next one continues there.
func TestPages_are_bounded_by_their_bytes(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ctx, user := t.Context(), addUser(t, db)
	setQuota(t, db, user, 1<<30)
	space := addSpace(t, db, user, "here")
	const large = 110_000 // 9 of them are a page
	for i := range 20 {
		addEntity(t, db, space, fmt.Sprintf("e%d", i), model.TypeSimple, string(jsonOf(large)))
		_, err := db.Spaces().UpdateSpace(ctx, model.UpdateSpace{SpaceID: addSpace(t, db, user, fmt.Sprint(i)).ID, Data: jsonOf(large)})
		check(t, err)
	}
	sizes := func(read func(after *string) (int, model.PageInfo)) string {
		var after *string
		var found []string
		for {
			n, info := read(after)
			found = append(found, fmt.Sprint(n))
			if !info.HasNextPage {
				return strings.Join(found, " ")
			}
			after = info.EndCursor
		}
	}
	entities := sizes(func(after *string) (int, model.PageInfo) {
		found, err := db.Entities().Entities(ctx, space.ID, page(t, 200, after))
		check(t, err)
		return len(found.Nodes), found.PageInfo
	})
	if want := "9 9 2"; entities != want {
		t.Errorf("entities of the pages: got %s, want %s", entities, want)
	}
	// The page fits, and with the entity after it does not.
	if found, err := db.Entities().Entities(ctx, space.ID, page(t, 9, nil)); err != nil || len(found.Nodes) != 9 || !found.PageInfo.HasNextPage {
		t.Errorf("9 entities of 20: got %+v, %v, want 9 and more", found, err)
	}
	spaces := sizes(func(after *string) (int, model.PageInfo) {
		found, err := db.Spaces().SpacesOf(ctx, user.ID, model.SpaceFilter{}, page(t, 200, after))
		check(t, err)
		return len(found.Nodes), found.PageInfo
	})
	if want := "9 9 3"; spaces != want {
		t.Errorf("spaces of the pages: got %s, want %s", spaces, want)
	}
}
