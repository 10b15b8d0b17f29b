package graph_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"portico/db"
	"portico/model"
)

// newHistoryWorld is newWorld that keeps histories.
func newHistoryWorld(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	w.options.Settings.History = model.HistoryLimits{Versions: 1000, Age: time.Hour}
	w.assemble()
	w.makeRoom()
	return w
}

// content returns the content of a space by path: of an entity its file, of another file its
// hash.
func (w *world) content(spaceID string) map[string]string {
	w.t.Helper()
	export, err := w.Query().ExportSpace(w.alice.ctx, spaceID)
	check(w.t, err)
	files := map[string]string{"": export.Space.Title}
	for _, entity := range export.Entities {
		files[model.EntityPath(entity.EntityID)] = string(entity.EntityFile())
	}
	for _, file := range export.Files {
		files[model.SpaceFolder+file.Path] = file.SHA256
	}
	return files
}

// newest returns the number of the newest version; 0 for none.
func (w *world) newest(spaceID string) int {
	w.t.Helper()
	page, err := w.Query().SpaceVersions(w.alice.ctx, spaceID, model.PageArgs{})
	check(w.t, err)
	if len(page.Nodes) == 0 {
		return 0
	}
	return page.Nodes[0].Number
}

// randomChanges returns a random change set of entities, the room and plugins. There are few names,
// so that change sets have targets in common.
func randomChanges(random *rand.Rand, spaceID string) model.ChangeSet {
	set := model.ChangeSet{SpaceID: spaceID}
	for _, i := range random.Perm(12)[:1+random.IntN(6)] {
		id := fmt.Sprintf("e%d", i)
		path := model.EntityPath(id)
		switch {
		case i == 0:
			path = model.RoomPath
		case i < 3:
			path = fmt.Sprintf("space/plugins/p%d.mjs", i)
		case i == 3:
			path = "space/plugins/p3/index.mjs"
		}
		switch {
		case i == 0:
			set.Puts = append(set.Puts, model.FilePut{Path: path, Content: fmt.Appendf(nil, `{"n":%d}`, random.IntN(5))})
		case random.IntN(3) == 0:
			set.Deletes = append(set.Deletes, path)
		case i < 4:
			set.Puts = append(set.Puts, model.FilePut{Path: path, Content: fmt.Appendf(nil, "export default %d", random.IntN(5))})
		default:
			content := fmt.Appendf(nil, `{"id":%q,"type":"T%d","data":{"n":%d}}`, id, random.IntN(2), random.IntN(5))
			set.Puts = append(set.Puts, model.FilePut{Path: path, Content: content})
		}
	}
	return set
}

// TestHistory_restores_what_was_there applies two hundred random change sets and restores. After
// each the content is compared with a model, which has the content after each version.
func TestHistory_restores_what_was_there(t *testing.T) {
	t.Parallel()
	w := newHistoryWorld(t)
	space, err := w.Mutation().CreateSpace(w.alice.ctx, model.CreateSpace{})
	check(t, err)
	random := rand.New(rand.NewPCG(1, 2))
	states := []map[string]string{w.content(space.ID)} // by the number of the version
	for step := range 200 {
		want := map[string]string(nil)
		switch random.IntN(3) {
		case 0:
			number := random.IntN(len(states))
			if random.IntN(2) == 0 {
				number = max(0, len(states)-2) // undo
			}
			if len(states) > 1 {
				_, err := w.Mutation().RestoreVersion(w.alice.ctx, space.ID, number)
				check(t, err)
				want = states[number]
			}
		case 1:
			title := fmt.Sprintf("title %d", random.IntN(5))
			_, err := w.Mutation().UpdateSpace(w.alice.ctx, model.UpdateSpace{SpaceID: space.ID, SpaceTextInput: model.SpaceTextInput{Title: &title}})
			check(t, err)
			want = maps.Clone(states[len(states)-1])
			want[""] = title
			w.endBurst(space.ID)
		default:
			_, err := w.Mutation().ApplyChanges(w.alice.ctx, randomChanges(random, space.ID))
			check(t, err)
		}
		got := w.content(space.ID)
		if want != nil {
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("step %d: (-want +got)\n%s", step, diff)
			}
		}
		switch newest := w.newest(space.ID); newest {
		case len(states):
			states = append(states, got)
		case len(states) - 1: // nothing changed
			if diff := cmp.Diff(states[newest], got); diff != "" {
				t.Fatalf("step %d made no version: (-want +got)\n%s", step, diff)
			}
		default:
			t.Fatalf("step %d: got version %d, want %d or none", step, newest, len(states))
		}
	}
	if len(states) < 100 {
		t.Errorf("versions: got %d, want over 100", len(states))
	}
}

// endBurst makes the next single change another version.
func (w *world) endBurst(spaceID string) {
	w.t.Helper()
	w.newest(spaceID)
	w.exec("UPDATE space_versions SET ended_at = ended_at - interval '2 minutes' WHERE space_id = $1", spaceID)
}

func TestHistory_is_the_owners(t *testing.T) {
	t.Parallel()
	w := newHistoryWorld(t)
	space, err := w.Mutation().CreateSpace(w.alice.ctx, model.CreateSpace{Privacy: new(model.Public)})
	check(t, err)
	_, err = w.Mutation().CreateEntity(w.alice.ctx, model.CreateEntity{SpaceID: space.ID, Data: model.Object(`{}`)})
	check(t, err)
	equal(t, "newest version", w.newest(space.ID), 1)
	for name, test := range map[string]struct {
		ctx  context.Context
		id   string
		want model.Code
	}{
		"stranger":   {t.Context(), space.ID, model.CodeUnauthenticated},
		"other user": {w.bob.ctx, space.ID, model.CodeForbidden},
		"no space":   {w.alice.ctx, "10000000_x\x00", model.CodeNotFound},
	} {
		_, err := w.Query().SpaceVersions(test.ctx, test.id, model.PageArgs{})
		equal(t, name+" lists", model.CodeOf(err), test.want)
		_, err = w.Query().SpaceChanges(test.ctx, test.id, nil, 1, model.PageArgs{})
		equal(t, name+" compares", model.CodeOf(err), test.want)
		_, err = w.Mutation().RestoreVersion(test.ctx, test.id, 0)
		equal(t, name+" restores", model.CodeOf(err), test.want)
		_, err = w.Mutation().NameVersion(test.ctx, model.NameVersion{SpaceID: test.id, Number: 1})
		equal(t, name+" names", model.CodeOf(err), test.want)
	}
	for _, number := range []int{-1 << 62, -1, 2, 1 << 62} {
		_, err := w.Mutation().RestoreVersion(w.alice.ctx, space.ID, number)
		equal(t, fmt.Sprintf("restore version %d", number), model.CodeOf(err), model.CodeNotFound)
	}
}

// A static gate that was deleted cannot be restored, so the whole restore is refused.
func TestRestoreVersion_follows_the_rules_of_change_sets(t *testing.T) {
	t.Parallel()
	w := newHistoryWorld(t)
	space, err := w.Mutation().CreateSpace(w.alice.ctx, model.CreateSpace{Type: new(model.SpaceHub)})
	check(t, err)
	gate := model.StaticGateIDs[0]
	_, err = w.Mutation().DeleteEntity(w.alice.ctx, space.ID, gate)
	check(t, err)
	_, err = w.Mutation().CreateEntity(w.alice.ctx, model.CreateEntity{SpaceID: space.ID, Data: model.Object(`{}`)})
	check(t, err)
	before := w.content(space.ID)
	_, err = w.Mutation().RestoreVersion(w.alice.ctx, space.ID, 0)
	equal(t, "code", model.CodeOf(err), model.CodeInvalidFiles)
	if diff := cmp.Diff(before, w.content(space.ID)); diff != "" {
		t.Errorf("content after a refused restore: (-want +got)\n%s", diff)
	}
	equal(t, "versions after a refused restore", w.newest(space.ID), 1)
}

// Another account lists its versions while a restore holds the history of its own account.
func TestSpaceVersions_does_not_wait_for_another_account(t *testing.T) {
	t.Parallel()
	w := newHistoryWorld(t)
	var spaces []*model.Space
	for _, ctx := range []context.Context{w.bob.ctx, w.alice.ctx} {
		space, err := w.Mutation().CreateSpace(ctx, model.CreateSpace{})
		check(t, err)
		_, err = w.Mutation().CreateEntity(ctx, model.CreateEntity{SpaceID: space.ID, Data: model.Object(`{}`)})
		check(t, err)
		spaces = append(spaces, space)
	}
	ctx, cancel := context.WithTimeout(w.alice.ctx, 5*time.Second) // a wait would last until the commit
	defer cancel()
	check(t, w.db.InTx(t.Context(), func(tx *db.DB) error {
		check(t, tx.History().LockHistory(t.Context(), spaces[0].ID))
		page, err := w.Query().SpaceVersions(ctx, spaces[1].ID, model.PageArgs{})
		check(t, err)
		equal(t, "versions", len(page.Nodes), 1)
		changes, err := w.Query().SpaceChanges(ctx, spaces[1].ID, nil, 1, model.PageArgs{})
		check(t, err)
		equal(t, "changes", len(changes.Nodes), 1)
		return nil
	}))
}

// Changes that no version has yet become versions of a full account. They do not prevent the
// restore.
func TestRestoreVersion_removes_old_versions_of_a_full_account(t *testing.T) {
	t.Parallel()
	w := newHistoryWorld(t)
	space, err := w.Mutation().CreateSpace(w.alice.ctx, model.CreateSpace{})
	check(t, err)
	for i, size := range []int{300_000, 300_000, 300_000, 300_000, 200_000} {
		content := fmt.Appendf(nil, `{"id":"a","type":"Simple","data":{"text":%q}}`, strings.Repeat(fmt.Sprint(i), size))
		_, err := w.Mutation().ApplyChanges(w.alice.ctx, model.ChangeSet{SpaceID: space.ID, Puts: []model.FilePut{{Path: model.EntityPath("a"), Content: content}}})
		check(t, err)
		if i == 3 {
			equal(t, "newest version", w.newest(space.ID), 4)
		}
	}
	// Less than the five versions and what is there now, but with room for what the connections
	// reserve (json_usage) beside two versions less.
	w.exec("UPDATE users SET quota = 1400000")
	_, err = w.Mutation().RestoreVersion(w.alice.ctx, space.ID, 4)
	check(t, err)
}
