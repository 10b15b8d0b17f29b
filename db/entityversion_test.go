package db

import (
	"context"
	"testing"

	"portico/model"
)

// versions returns the versions of the space's entities by their ids.
func versions(t testing.TB, db *DB, space *model.Space) map[string]string {
	t.Helper()
	list, err := db.History().EntityVersions(t.Context(), space.ID)
	check(t, err)
	found := map[string]string{}
	for _, entity := range list {
		found[entity.EntityID] = entity.Version
	}
	return found
}

// Every write to an entity makes another version of it, and of no other one.
func TestEntityVersions_change_with_every_write(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ctx := t.Context()
	space := addSpace(t, db, addUser(t, db), "here")
	addEntity(t, db, space, "other", model.TypeSimple, `{}`)
	addEntity(t, db, space, "e", model.TypeSimple, `{}`)
	before := versions(t, db, space)
	if _, ok := before[model.RoomInfoID]; !ok || len(before) != 3 {
		t.Errorf("versions: got %v, want the versions of two entities and RoomInfo", before)
	}
	merge := model.UpdateEntity{SpaceID: space.ID, EntityID: "e", Data: model.Object(`{}`)}
	for name, write := range map[string]func() error{
		"MergeEntity":      func() error { _, err := db.Entities().MergeEntity(ctx, merge); return err },
		"MergeOwnedEntity": func() error { _, err := db.Entities().MergeOwnedEntity(ctx, space.OwnerID, merge); return err },
		"PutOwnedEntity": func() error {
			_, _, err := db.Entities().PutOwnedEntity(ctx, space.OwnerID, model.NewEntity(space.ID, "e", model.TypeSimple, nil), nil, false)
			return err
		},
		"DeleteOwnedEntity and AddEntity": func() error {
			if _, err := db.Entities().DeleteOwnedEntity(ctx, space.OwnerID, space.ID, "e"); err != nil {
				return err
			}
			_, err := db.Entities().AddEntity(ctx, model.NewEntity(space.ID, "e", model.TypeSimple, nil))
			return err
		},
	} {
		check(t, write())
		after := versions(t, db, space)
		if after["e"] == before["e"] || after["other"] != before["other"] {
			t.Errorf("versions after %s: got %v after %v, want that of e to differ", name, after, before)
		}
		before = after
	}
	read, err := db.History().VersionedEntities(ctx, space.ID, []string{"e", "gone", "other"}, 1<<20)
	check(t, err)
	if len(read) != 2 || read[0].EntityID != "other" || read[1].EntityID != "e" {
		t.Fatalf("entities: got %v, want other and e, in the order of their creation", read)
	}
	for _, entity := range read {
		if got, want := entity.RowVersion, before[entity.EntityID]; got != want {
			t.Errorf("version of %s: got %s, want %s", entity.EntityID, got, want)
		}
	}
}

// Every write to a space or an entity of it is announced, and nothing else is.
func TestSpaces_announce_each_change(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	settled(t, db)
	ctx := t.Context()
	owner := addUser(t, db)
	space := addSpace(t, db, owner, "here")
	entity := func(id string) *model.Entity { return model.NewEntity(space.ID, id, model.TypeSimple, nil) }
	merge := func(ctx context.Context, id string) error {
		in := model.UpdateEntity{SpaceID: space.ID, EntityID: id, Data: model.Object(`{}`)}
		_, err := db.Entities().MergeOwnedEntity(ctx, owner.ID, in)
		return err
	}
	remove := func(ctx context.Context) error {
		_, err := db.Entities().DeleteOwnedEntity(ctx, owner.ID, space.ID, "e")
		return err
	}
	title := "new"
	watched := db.Watch(ctx, SpaceTopic(space.ID))
	for _, step := range []struct {
		name      string
		change    func(ctx context.Context) error
		announced bool
	}{
		{"AddEntity", func(ctx context.Context) error { _, err := db.Entities().AddEntity(ctx, entity("e")); return err }, true},
		{"AddEntity again", func(ctx context.Context) error { _, err := db.Entities().AddEntity(ctx, entity("e")); return err }, false},
		{"PutOwnedEntity", func(ctx context.Context) error {
			_, _, err := db.Entities().PutOwnedEntity(ctx, owner.ID, entity("e"), nil, false)
			return err
		}, true},
		{"MergeEntity", func(ctx context.Context) error {
			_, err := db.Entities().MergeEntity(ctx, model.UpdateEntity{SpaceID: space.ID, EntityID: "e", Data: model.Object(`{}`)})
			return err
		}, true},
		{"MergeEntity of none", func(ctx context.Context) error {
			_, err := db.Entities().MergeEntity(ctx, model.UpdateEntity{SpaceID: space.ID, EntityID: "none", Data: model.Object(`{}`)})
			return err
		}, false},
		{"MergeOwnedEntity", func(ctx context.Context) error { return merge(ctx, "e") }, true},
		{"MergeOwnedEntity of none", func(ctx context.Context) error { return merge(ctx, "none") }, false},
		{"DeleteOwnedEntity", remove, true},
		{"DeleteOwnedEntity again", remove, false},
		{"UpdateSpace", func(ctx context.Context) error {
			_, err := db.Spaces().UpdateSpace(ctx, model.UpdateSpace{SpaceID: space.ID, SpaceTextInput: model.SpaceTextInput{Title: &title}})
			return err
		}, true},
		{"Visit", func(ctx context.Context) error { _, err := db.Spaces().Visit(ctx, space.ID, "viewer"); return err }, false},
		{"DeleteSpace", func(ctx context.Context) error { _, err := db.Spaces().DeleteSpace(ctx, space.ID); return err }, true},
		{"DeleteSpace again", func(ctx context.Context) error { _, err := db.Spaces().DeleteSpace(ctx, space.ID); return err }, false},
	} {
		check(t, step.change(ctx))
		if step.announced {
			receive(t, watched, step.name)
		} else {
			silent(t, db, watched, "after "+step.name)
		}
	}
}
