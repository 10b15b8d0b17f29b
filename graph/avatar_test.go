package graph_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"portico/model"
)

// avatarInput returns an avatar of alice with a new figure. The other files are the same one.
func (w *world) avatarInput(figure string) model.CreateAvatar {
	w.t.Helper()
	splat := w.file(w.alice, "person.spz").ResourceKey
	return model.CreateAvatar{GLB: w.file(w.alice, figure).ResourceKey, Splat: splat, Binding: splat, Fit: splat}
}

func TestCreateAvatar_refuses_files_of_another_kind(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	in := w.avatarInput("figure.glb")
	picture, text := w.file(w.alice, "face.png").ResourceKey, "api_uploads/\x00.glb"
	for _, test := range []struct {
		name   string
		change func(in *model.CreateAvatar)
		code   model.Code
		want   string
	}{
		{"a figure that is a picture", func(in *model.CreateAvatar) { in.GLB = picture }, model.CodeInvalid, "glb must be the resource key of a .glb file"},
		{"a capture that is a model", func(in *model.CreateAvatar) { in.Splat = in.GLB }, model.CodeInvalid, "splat must be the resource key of a capture"},
		{"a picture that is a capture", func(in *model.CreateAvatar) { in.Thumbnail = &in.Splat }, model.CodeInvalid, "thumbnail must be the resource key of a picture"},
		{"no binding", func(in *model.CreateAvatar) { in.Binding = "" }, model.CodeInvalid, "binding is required"},
		{"a key that no file can have", func(in *model.CreateAvatar) { in.Fit = text }, model.CodeNotFound, model.FileNotFound},
		{"a path", func(in *model.CreateAvatar) { in.Fit = "../" + in.Fit }, model.CodeNotFound, model.FileNotFound},
		{"a name that is too long", func(in *model.CreateAvatar) { name := strings.Repeat("a", 256); in.OriginalName = &name }, model.CodeInvalid, "originalName must have at most 255 characters"},
	} {
		changed := in
		test.change(&changed)
		_, err := w.Mutation().CreateAvatar(w.alice.ctx, changed)
		if model.CodeOf(err) != test.code || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %s", test.name, err, test.want)
		}
	}
	_, err := w.Mutation().CreateAvatar(w.bob.ctx, in)
	equal(t, "files of another account", fmt.Sprint(model.CodeOf(err), err), fmt.Sprint(model.CodeNotFound, model.FileNotFound))
}

func TestCreateAvatar_of_many_at_once_assigns_one(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var wait sync.WaitGroup
	for i := range 8 {
		in := w.avatarInput(fmt.Sprintf("figure%d.glb", i))
		in.Assign = true
		wait.Go(func() {
			_, err := w.Mutation().CreateAvatar(w.alice.ctx, in)
			if err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	equal(t, "avatars", w.count("SELECT count(*) FROM avatars"), 8)
	equal(t, "assigned", w.count("SELECT count(*) FROM avatars WHERE assigned"), 1)
	equal(t, "events", w.count("SELECT count(*) FROM audit_events WHERE type = 'avatar-assigned'"), 8)
}

func TestCreateAvatar_refuses_more_than_an_account_may_have(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	in := w.avatarInput("figure.glb")
	_, err := w.Mutation().CreateAvatar(w.alice.ctx, in)
	check(t, err)
	w.exec(`WITH u AS (SELECT u.*, n FROM uploads AS u, generate_series(1, $1::int) AS n WHERE u.resource_key = $2),
		uploaded AS (INSERT INTO uploads (id, user_id, resource_key, file_name, content_type, size, state, expires_at, created_at)
			SELECT id || n, user_id, resource_key || n, file_name, content_type, size, state, expires_at, created_at FROM u RETURNING *),
		stored AS (INSERT INTO files (resource_key, user_id, upload_id, name, content_type, size, objects, created_at)
			SELECT resource_key, user_id, id, file_name, content_type, size, 1, created_at FROM uploaded RETURNING resource_key AS k, user_id)
		INSERT INTO avatars (id, user_id, original_name, glb, splat, binding, fit, assigned)
		SELECT k, user_id, '', k AS glb, k AS splat, k AS binding, k AS fit, false FROM stored`, model.MaxAvatars-1, in.GLB)
	_, err = w.Mutation().CreateAvatar(w.alice.ctx, in) // replaces the first
	check(t, err)
	_, err = w.Mutation().CreateAvatar(w.alice.ctx, w.avatarInput("more.glb"))
	equal(t, "one more", fmt.Sprint(err), "An account can have at most 50 avatars. Delete one first")
}
