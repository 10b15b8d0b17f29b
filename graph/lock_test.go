package graph_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"portico/db"
	"portico/graph/access"
	"portico/internal/testkit/postgres"
	"portico/model"
)

// editors are the operations that change the content of a space, by name.
func (w *world) editors(space *model.Space, file *model.File) map[string]func(ctx context.Context) error {
	create := func(in model.CreateEntity) func(context.Context) error {
		return func(ctx context.Context) error {
			in.SpaceID = space.ID
			_, err := w.Mutation().CreateEntity(ctx, in)
			return err
		}
	}
	update := func(id string) func(context.Context) error {
		return func(ctx context.Context) error {
			in := model.UpdateEntity{SpaceID: space.ID, EntityID: id, Data: model.Object(`{"title":"New"}`)}
			_, err := w.Mutation().UpdateEntity(ctx, in)
			return err
		}
	}
	changes := model.ChangeSet{SpaceID: space.ID, Puts: []model.FilePut{
		{Path: "space/entities/table.json", Content: []byte(`{"type":"Simple","data":{}}`)},
	}}
	return map[string]func(ctx context.Context) error{
		"create":        create(model.CreateEntity{}),
		"put":           create(model.CreateEntity{EntityID: ptr("chair"), Data: model.Object(`{"put":1}`)}),
		"create new":    create(model.CreateEntity{MustBeNew: true}),
		"show a file":   create(model.CreateEntity{ResourceKey: &file.ResourceKey}),
		"create a gate": create(model.CreateEntity{Type: ptr(model.TypeDynamicGate), Data: placed}),
		"fill a gate":   create(model.CreateEntity{EntityID: &model.StaticGateIDs[0], Data: model.Object(`{"title":"Out"}`)}),
		"update":        update("chair"),
		"update a gate": update(model.StaticGateIDs[1]),
		"delete": func(ctx context.Context) error {
			_, err := w.Mutation().DeleteEntity(ctx, space.ID, model.StaticGateIDs[2])
			return err
		},
		"change files": func(ctx context.Context) error {
			_, err := w.Mutation().ApplyChanges(ctx, changes)
			return err
		},
		"replace all": func(ctx context.Context) error {
			_, err := w.Mutation().ApplyArchive(ctx, model.ChangeSet{SpaceID: space.ID}, noFiles, true)
			return err
		},
	}
}

// state returns the content of the space.
func (w *world) state(space *model.Space) string {
	w.t.Helper()
	export, err := w.Query().ExportSpace(w.alice.ctx, space.ID)
	check(w.t, err)
	var all strings.Builder
	for _, entity := range export.Entities {
		all.Write(entity.EntityFile())
	}
	return all.String()
}

func TestLockSpace_lets_only_its_holder_change_the_space(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	hub := w.space(w.alice, model.SpaceHub)
	w.create(hub, "chair")
	editors := w.editors(hub, w.file(w.alice, "a.glb"))
	locked, err := w.Mutation().LockSpace(w.alice.ctx, model.LockSpace{SpaceID: hub.ID, Name: " Blender\n5 "})
	check(t, err)
	equal(t, "name", locked.Space.Lock().Name, "Blender 5")
	before := w.state(hub)
	for name, edit := range editors {
		for _, token := range []string{"", "wrong"} {
			if err := edit(model.WithLockToken(w.alice.ctx, token)); model.CodeOf(err) != model.CodeLocked || !strings.Contains(err.Error(), "Blender 5") {
				t.Errorf("%s with token %q: got %v, want a refusal that names the holder", name, token, err)
			}
		}
	}
	equal(t, "the space after refused changes", w.state(hub), before)
	equal(t, "version of the space", w.mustSpace(hub).Version, hub.Version)

	last := editors["replace all"]
	delete(editors, "replace all")
	holder := model.WithLockToken(w.alice.ctx, locked.LockToken)
	for name, edit := range editors {
		if err := edit(holder); err != nil {
			t.Errorf("%s by the holder: got %v, want it done", name, err)
		}
	}
	check(t, last(holder))
	// The owner's settings are not what is in the space.
	_, err = w.Mutation().UpdateSpace(w.alice.ctx, model.UpdateSpace{SpaceID: hub.ID, SpaceTextInput: model.SpaceTextInput{Title: ptr("Hall")}})
	check(t, err)
	// A stranger learns nothing of the lock.
	_, err = w.Mutation().DeleteEntity(w.bob.ctx, hub.ID, "chair")
	checkError(t, err, model.CodeForbidden, access.SpaceForbidden)
}

// An editor gets the lock while a request that has read the space waits for its row.
func TestLockSpace_refuses_a_write_that_has_just_started(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.makeRoom()
	activity := postgres.Connect(t, w.url)
	for _, name := range []string{"create new", "create a gate", "fill a gate", "update a gate"} {
		hub := w.space(w.alice, model.SpaceHub)
		edit := w.editors(hub, &model.File{})[name]
		before := w.state(hub)
		edited := make(chan error, 1)
		check(t, w.db.InTx(t.Context(), func(tx *db.DB) error {
			if _, err := tx.Spaces().AcquireSpaceLock(t.Context(), model.LockSpace{SpaceID: hub.ID, Name: "Blender"}, "a token"); err != nil {
				return err
			}
			go func() { edited <- edit(w.alice.ctx) }()
			for waiting := 0; waiting+len(edited) == 0; {
				err := activity.QueryRowContext(t.Context(), `SELECT count(*) FROM pg_stat_activity
					WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&waiting)
				if err != nil {
					return err
				}
			}
			return nil
		}))
		if err := <-edited; model.CodeOf(err) != model.CodeLocked {
			t.Errorf("%s: got %v, want a refusal", name, err)
		}
		equal(t, "the space after "+name, w.state(hub), before)
	}
}

// A lock that has ended locks nobody out, and its token is not the token of the next lock.
func TestLockSpace_ends(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	hub := w.space(w.alice, model.SpaceHub)
	take := func(token *string) (*model.LockedSpace, error) {
		return w.Mutation().LockSpace(w.alice.ctx, model.LockSpace{SpaceID: hub.ID, Name: "One", LockToken: token})
	}
	first, err := take(nil)
	check(t, err)
	if _, err := take(nil); model.CodeOf(err) != model.CodeLocked {
		t.Errorf("a second lock: got %v, want a refusal", err)
	}
	renewed, err := take(&first.LockToken)
	check(t, err)
	equal(t, "token of the renewed lock", renewed.LockToken, first.LockToken)

	w.exec("UPDATE spaces SET locked_until = now() - interval '1 minute' WHERE id = $1", hub.ID)
	w.create(hub, "chair")
	if lock := w.mustSpace(hub).Lock(); lock != nil {
		t.Errorf("lock that has ended: got %v, want none", lock)
	}
	second, err := take(&first.LockToken)
	check(t, err)
	if second.LockToken == first.LockToken {
		t.Error("token of the next lock: got the token of the last one, want a new one")
	}
	_, err = w.Mutation().UnlockSpace(w.alice.ctx, model.UnlockSpace{SpaceID: hub.ID, LockToken: &first.LockToken})
	if model.CodeOf(err) != model.CodeLocked {
		t.Errorf("unlock with the old token: got %v, want a refusal", err)
	}
	_, err = w.Mutation().UnlockSpace(w.alice.ctx, model.UnlockSpace{SpaceID: hub.ID, Force: true})
	check(t, err)
	w.create(hub, "table")
}

// Everybody who follows the space sees the lock, but not its token.
func TestLockSpace_is_announced(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.open(w.alice, model.LinkOnly)
	events := w.watchSpace(t.Context(), w.bob, space)
	expect(t, events, "snapshot")
	locked, err := w.Mutation().LockSpace(w.alice.ctx, model.LockSpace{SpaceID: space.ID, Name: "Blender", Seconds: ptr(60)})
	check(t, err)
	lock := expect(t, events, "space-changed").space.Lock()
	if lock == nil || lock.Name != "Blender" || lock.Until.After(time.Now().Add(time.Minute)) {
		t.Errorf("lock: got %v, want Blender's, for a minute at most", lock)
	}
	got := w.query(w.bob, `{ space(id: "`+space.ID+`") { lock { name } } }`, nil)
	equal(t, "as a visitor reads it", got, `{"space":{"lock":{"name":"Blender"}}}`)
	_, err = w.Mutation().UnlockSpace(w.alice.ctx, model.UnlockSpace{SpaceID: space.ID, LockToken: &locked.LockToken})
	check(t, err)
	if lock := expect(t, events, "space-changed").space.Lock(); lock != nil {
		t.Errorf("lock after its end: got %v, want none", lock)
	}
}

// Each mutation of GraphQL that changes the content of a space accepts the token.
func TestLockSpace_in_GraphQL(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	hub := w.space(w.alice, model.SpaceHub)
	locked, err := w.Mutation().LockSpace(w.alice.ctx, model.LockSpace{SpaceID: hub.ID, Name: "Blender"})
	check(t, err)
	for _, input := range []string{
		`createEntity(input: {spaceId: "%s", entityId: "chair"%s}) { created }`,
		`updateEntity(input: {spaceId: "%s", entityId: "chair", data: {a: 1}%s}) { entity { version } }`,
		`applyChanges(input: {spaceId: "%s", deletes: ["space/entities/none.json"]%s}) { noChanges }`,
		`deleteEntity(input: {spaceId: "%s", entityId: "chair"%s}) { deletedEntityId }`,
	} {
		mutation := func(token string) string {
			return "mutation { " + strings.Replace(strings.Replace(input, "%s", hub.ID, 1), "%s", token, 1) + " }"
		}
		code, _ := w.refused(w.alice, request(mutation(""), nil))
		equal(t, input, code, "LOCKED")
		w.query(w.alice, mutation(`, lockToken: "`+locked.LockToken+`"`), nil)
	}
}
