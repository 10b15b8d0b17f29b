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
func TestOwnedStatements_decide_as_owns_and_the_check_of_the_key(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.makeRoom()
	space := w.space(w.alice, model.SpaceInfinite)
	revokedOfAlice, validOfAlice := w.newKey(w.alice), w.newKey(w.alice)
	revokedOfBob, validOfBob := w.newKey(w.bob), w.newKey(w.bob)
	// A function for each, because a caller whose key was found valid stays checked.
	known := func(c *model.Caller) func() *model.Caller { return func() *model.Caller { return c } }
	unchecked := func(userID, keyID string) func() *model.Caller {
		return func() *model.Caller { return w.unchecked(userID, keyID) }
	}
	for name, callerOf := range map[string]func() *model.Caller{
		"anonymous":                        known(nil),
		"the owner":                        known(model.CallerFrom(w.alice.ctx)),
		"the owner with a valid key":       unchecked(w.alice.id, validOfAlice),
		"the owner with a revoked key":     unchecked(w.alice.id, revokedOfAlice),
		"the owner with an unknown key":    unchecked(w.alice.id, "unknown"),
		"a stranger":                       known(model.CallerFrom(w.bob.ctx)),
		"a stranger with a valid key":      unchecked(w.bob.id, validOfBob),
		"a stranger with a revoked key":    unchecked(w.bob.id, revokedOfBob),
		"a stranger with the owner's key":  unchecked(w.bob.id, validOfAlice),
		"an account that does not exist":   known(&model.Caller{UserID: "00000000"}),
		"an account without an id":         known(&model.Caller{}),
		"an account whose id has a prefix": known(&model.Caller{UserID: w.alice.id + "0"}),
	} {
		for statement, run := range ownedStatements(w, space.ID) {
			t.Run(name+"/"+statement, func(t *testing.T) {
				c, ctx, userID := callerOf(), t.Context(), ""
				if c != nil {
					ctx, userID = model.WithCaller(ctx, c), c.UserID
				}
				entity := model.NewEntity(space.ID, model.Token(), model.TypeSimple, nil)
				added, err := w.db.Entities().AddEntity(t.Context(), entity)
				check(t, err)
				equal(t, "entity was added", added, true)
				got, err := run(ctx, userID, entity.EntityID)
				check(t, err)
				// After the statement: before it, CheckKey would turn c into a checked caller.
				want := access.Owns(c, space) && c.CheckKey(ctx) == nil
				equal(t, "found", got, want)
			})
		}
	}
}

// newKey gives the account a new key, which revokes the key before, and returns its id.
func (w *world) newKey(who account) string {
	w.t.Helper()
	user, err := w.db.Accounts().User(w.t.Context(), who.id)
	check(w.t, err)
	_, err = w.keys.Generate(w.t.Context(), user)
	check(w.t, err)
	key, err := w.db.Keys().KeyOf(w.t.Context(), who.id)
	check(w.t, err)
	return key.ID
}

// unchecked returns a caller whose key must still be checked.
func (w *world) unchecked(userID, keyID string) *model.Caller {
	return model.NewUncheckedCaller(userID, keyID, func(ctx context.Context) error {
		return w.keys.Check(ctx, &model.Caller{KeyID: keyID})
	})
}
