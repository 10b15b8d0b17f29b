package graph_test

import (
	"context"
	"testing"

	"portico/graph/access"
	table "portico/internal/testkit/access"
	"portico/internal/testkit/postgres"
	"portico/model"
)

// decision is what a rule decides, and what it must decide.
type decision struct {
	rule      string
	got, want bool
}

// comparisonsOf returns the decisions of the rules that compare a caller with a space.
func comparisonsOf(ctx context.Context, space *model.Space, c table.Case) []decision {
	caller, reader := model.CallerFrom(ctx), access.ReaderFrom(ctx)
	licensed := new(*space)
	licensed.Licence = "CC-BY-4.0"
	generous := access.Reader{Caller: caller}
	for _, visit := range reader.Visits {
		generous.Visits = append(generous.Visits, &model.LinkVisit{SpaceID: visit.SpaceID, AllowsDownload: true})
	}
	return []decision{
		{"owns", access.Owns(caller, space), c.Owns},
		{"ownerOf", access.IsCaller(caller, access.OwnerOf(space.ID)), c.Owns},
		{"mayRead", access.MayRead(reader, space), c.Reads},
		{"mayRead of everybody", access.MayRead(access.Reader{}, space), c.EverybodyReads},
		{"mayDownload", access.MayDownload(reader, space), c.Owns},
		{"mayDownload with a licence", access.MayDownload(reader, licensed), c.Reads},
		{"mayDownload by a link that allows it", access.MayDownload(generous, space), c.Owns || c.Visitor.HasLink()},
		{"LockRefusal", space.LockRefusal(c.Lock.Sent) == nil, c.IsUnlocked},
	}
}

// readsBy returns the decisions of the functions that read a space or an entity. contextOf returns
// the context of a new request.
func readsBy(w *world, contextOf func() context.Context, spaceID, entityID string, c table.Case) []decision {
	succeeds := func(_ any, err error) bool { return err == nil }
	change := model.UpdateEntity{SpaceID: spaceID, EntityID: entityID, Data: model.Object(`{"n":1}`)}
	listed, err := w.PublicSpaces(w.t.Context(), model.SpaceFilter{}, model.PageArgs{})
	check(w.t, err)
	return []decision{
		{"ownedSpace", succeeds(w.Access().OwnedSpace(contextOf(), spaceID)), c.Owns},
		{"editableSpace", succeeds(w.Access().EditableSpace(contextOf(), spaceID)), c.Owns && c.IsUnlocked},
		{"readableSpace", succeeds(w.Access().ReadableSpace(contextOf(), spaceID)), c.Reads},
		{"readableSpaceWithKey", succeeds(w.Access().ReadableSpaceWithKey(contextOf(), spaceID)), c.Reads && c.Visitor.HasKey()},
		{"linkedSpace", succeeds(w.Access().LinkedSpace(contextOf(), spaceID)), c.EverybodyReads},
		{"readableEntity", succeeds(w.Access().ReadableEntity(contextOf(), spaceID, entityID)), c.Reads},
		{"tryAsOwner", succeeds(w.Query().Entity(contextOf(), spaceID, entityID)), c.Owns},
		{"tryAsEditor", succeeds(w.Mutation().UpdateEntity(contextOf(), change)), c.Owns && c.IsUnlocked},
		{"publicSpaces", len(listed.Nodes) == 1, c.EverybodyFinds},
	}
}

// Package db has the same test of the rules as SQL, with the same table.
func TestRules_of_access_in_Go_match_the_table(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.makeRoom()
	space, other := w.space(w.alice, model.SpaceInfinite), w.space(w.alice, model.SpaceInfinite)
	w.create(space, "chair")
	accounts := map[table.Visitor]account{table.Owner: w.alice, table.Stranger: w.bob, table.LinkedStranger: w.account(w.keys, "carol@example.com", model.PlanFree)}
	pool := postgres.Connect(t, postgres.AdminURL(t, w.url))
	for _, c := range table.Cases() {
		_, err := pool.ExecContext(t.Context(), table.SetSpace, space.ID, c.Privacy, c.Lock.Token, c.Lock.Until)
		check(t, err)
		current, err := w.db.Spaces().Space(t.Context(), space.ID)
		check(t, err)
		contextOf := func() context.Context {
			ctx, id := model.WithLockToken(t.Context(), c.Lock.Sent), accounts[c.Visitor].id
			if c.Visitor.HasLink() {
				ctx = model.WithLinkVisits(ctx, []*model.LinkVisit{{SpaceID: other.ID}, {SpaceID: space.ID}})
			}
			if c.Visitor.HasKey() {
				ctx = model.WithCaller(ctx, &model.Caller{UserID: id})
			}
			return ctx
		}
		decisions := comparisonsOf(contextOf(), current, c)
		decisions = append(decisions, readsBy(w, contextOf, space.ID, "chair", c)...)
		for _, d := range decisions {
			if d.got != d.want {
				t.Errorf("%s: %s: got %v, want %v", c, d.rule, d.got, d.want)
			}
		}
	}
}
