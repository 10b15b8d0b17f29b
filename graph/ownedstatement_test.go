package graph_test

import (
	"context"
	"testing"

	"portico/graph/access"
	"portico/model"
)

// ownedStatements are the statements of package db that check the owner of a space themselves,
// as calls that report whether the statement found its entity.
func ownedStatements(w *world, spaceID string) map[string]func(ctx context.Context, userID, entityID string) (bool, error) {
	return map[string]func(ctx context.Context, userID, entityID string) (bool, error){
		"OwnedEntity": func(ctx context.Context, userID, entityID string) (bool, error) {
			entity, err := w.db.Entities().OwnedEntity(ctx, userID, spaceID, entityID)
			return entity != nil, err
		},
		"OwnedEntities": func(ctx context.Context, userID, _ string) (bool, error) {
			entities, err := w.db.Entities().OwnedEntities(ctx, userID, spaceID, model.Page{Limit: 10})
			return entities != nil, err
		},
		"MergeOwnedEntity": func(ctx context.Context, userID, entityID string) (bool, error) {
			in := model.UpdateEntity{SpaceID: spaceID, EntityID: entityID, Data: model.Object(`{"n":1}`)}
			entity, err := w.db.Entities().MergeOwnedEntity(ctx, userID, in)
			return entity != nil, err
		},
		"PutOwnedEntity": func(ctx context.Context, userID, entityID string) (bool, error) {
			sent := model.NewEntity(spaceID, entityID, model.TypeSimple, model.Object(`{"n":2}`))
			entity, _, err := w.db.Entities().PutOwnedEntity(ctx, userID, sent, nil, false)
			return entity != nil, err
		},
		"DeleteOwnedEntity": func(ctx context.Context, userID, entityID string) (bool, error) {
			return w.db.Entities().DeleteOwnedEntity(ctx, userID, spaceID, entityID)
		},
	}
}

// The rule of ownership is written twice: as access.Owns, and as SQL in db/entity.go. For
// every kind of caller both must decide the same.
func TestOwnedStatements_decide_as_owns(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.makeRoom()
	space := w.space(w.alice, model.SpaceInfinite)
	for name, c := range map[string]*model.Caller{
		"anonymous":                        nil,
		"the owner":                        model.CallerFrom(w.alice.ctx),
		"a stranger":                       model.CallerFrom(w.bob.ctx),
		"an account that does not exist":   {UserID: "00000000"},
		"an account without an id":         {},
		"an account whose id has a prefix": {UserID: w.alice.id + "0"},
	} {
		for statement, run := range ownedStatements(w, space.ID) {
			t.Run(name+"/"+statement, func(t *testing.T) {
				ctx, userID := t.Context(), ""
				if c != nil {
					ctx, userID = model.WithCaller(ctx, c), c.UserID
				}
				entity := model.NewEntity(space.ID, model.Token(), model.TypeSimple, nil)
				added, err := w.db.Entities().AddEntity(t.Context(), entity)
				check(t, err)
				equal(t, "entity was added", added, true)
				got, err := run(ctx, userID, entity.EntityID)
				check(t, err)
				equal(t, "found", got, access.Owns(c, space))
			})
		}
	}
}
