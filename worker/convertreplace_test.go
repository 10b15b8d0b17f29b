package worker

import (
	"context"
	"strings"
	"testing"
	"time"

	"portico/model"
)

// addShown adds a space with an entity that shows the file.
func (w *world) addShown(t *testing.T, file *model.File) (space *model.Space, read func() *model.Entity) {
	t.Helper()
	space = model.NewSpace(w.user.ID, model.CreateSpace{}, nil)
	data := model.Object(`{"title":"Room","position":[0,0,0]}`).With(model.NewGLBURL(w.store.PublicURL(file.StorageKey())))
	if err := w.db.Spaces().AddSpace(t.Context(), space, []*model.Entity{model.NewEntity(space.ID, "room", model.TypeUserModel, data)}); err != nil {
		t.Fatalf("add a space: %v", err)
	}
	return space, func() *model.Entity {
		t.Helper()
		entities, err := w.db.Entities().EntitiesOfSpace(t.Context(), space.ID, []string{"room"})
		if err != nil {
			t.Fatalf("read the entity: %v", err)
		}
		return entities["room"]
	}
}

// replaceIn adds a conversion whose result replaces the file in the entity of addShown.
func (w *world) replaceIn(t *testing.T, file *model.File, space *model.Space, lockToken string) *model.Job {
	t.Helper()
	upload, job := model.NewConversion(file, model.ConvertToSOG, "")
	job.Replacement = &model.Replacement{
		ReplaceIn: model.ReplaceIn{SpaceID: space.ID, EntityID: "room", Data: model.Object(`{"position":[1,2,3]}`)},
		Door:      model.DoorGraphQL, LockToken: lockToken,
	}
	return w.addJob(t)(upload, job)
}

func TestConversion_replaces_its_source_in_an_entity(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	source := w.addFile(t, "scan.spz", "sss")
	space, entity := w.addShown(t, source)
	job := w.replaceIn(t, source, space, "")
	if err := w.attempt(t, w.idle(t, withScript("good")), job); err != nil {
		t.Fatalf("work: got %v, want nil", err)
	}
	file := w.awaitCompleted(t, job.ID)
	got, want := entity().Data.Fields(), map[string]string{
		"title": `"Room"`, "position": `[1, 2, 3]`, "glbUrl": `"` + w.store.PublicURL(file.StorageKey()) + `"`,
	}
	for name, value := range want {
		if string(got[name]) != value {
			t.Errorf("%s: got %s, want %s", name, got[name], value)
		}
	}
	if _, err := w.db.Files().FileOf(t.Context(), w.user.ID, source.ResourceKey); err != nil {
		t.Errorf("the source: got %v, want it kept", err)
	}
	if _, err := w.db.History().RecordVersions(t.Context(), space.ID, model.HistoryLimits{Versions: 10, Age: time.Hour}, 10); err != nil {
		t.Fatalf("record versions: %v", err)
	}
	versions, err := w.db.History().Versions(t.Context(), space.ID, model.Page{Limit: 1})
	if err != nil || len(versions.Nodes) == 0 {
		t.Fatalf("versions: got %v, %v, want one", versions, err)
	}
	if v := versions.Nodes[0]; v.UserID != w.user.ID || v.Door != model.DoorGraphQL {
		t.Errorf("version: got one by %q through %q, want the owner's through GraphQL", v.UserID, v.Door)
	}
}

// A conversion takes minutes, in which the space may change.
func TestConversion_that_can_no_longer_replace_its_source_changes_nothing(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(ctx context.Context, w *world, space *model.Space) error
		want   string
	}{
		"the entity was deleted": {func(ctx context.Context, w *world, space *model.Space) error {
			return w.db.Entities().DeleteEntities(ctx, space.ID, []string{"room"})
		}, model.EntityNotFound},
		"the entity shows another file": {func(ctx context.Context, w *world, space *model.Space) error {
			_, err := w.db.Entities().MergeEntity(ctx, model.UpdateEntity{SpaceID: space.ID, EntityID: "room", Data: model.NewGLBURL("/x.ply")})
			return err
		}, "replace_in.entity_id: the entity does not show the file"},
		"another editor has locked the space": {func(ctx context.Context, w *world, space *model.Space) error {
			_, err := w.db.Spaces().AcquireSpaceLock(ctx, model.LockSpace{SpaceID: space.ID, Name: "Bob"}, model.Token())
			return err
		}, `"Bob" has locked the space until`},
		"the space was deleted": {func(ctx context.Context, w *world, space *model.Space) error {
			_, err := w.db.Spaces().DeleteSpace(ctx, space.ID)
			return err
		}, model.SpaceNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			source := w.addFile(t, "scan.spz", "sss")
			space, entity := w.addShown(t, source)
			job := w.replaceIn(t, source, space, "")
			if err := test.change(t.Context(), w, space); err != nil {
				t.Fatalf("change the space: %v", err)
			}
			before := entity()
			if err := w.attempt(t, w.idle(t, withScript("good")), job); err != nil {
				t.Fatalf("work: got %v, want nil: no other attempt helps", err)
			}
			if got := w.job(t, job.ID); got.Status != model.JobFailed || !strings.HasPrefix(got.Error, test.want) {
				t.Errorf("job: got %s with %q, want failed with %q", got.Status, got.Error, test.want)
			}
			if after := entity(); before != nil && after.Version != before.Version {
				t.Errorf("entity: got version %d with %s, want it unchanged", after.Version, after.Data)
			}
			if _, err := w.db.Files().FileOfUpload(t.Context(), job.UploadID); model.CodeOf(err) != model.CodeNotFound {
				t.Errorf("result: got %v, want none", err)
			}
		})
	}
}
