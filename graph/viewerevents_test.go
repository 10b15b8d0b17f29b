package graph_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"portico/db"
	"portico/model"
	"portico/storage"
)

// The test reads the events of files as a page with a list of files does: a poster, a view and a
// collision appear without another request.
func TestViewer_receives_the_events_of_files(t *testing.T) {
	t.Parallel()
	const query = `subscription { viewerFiles { __typename
		... on FilesSnapshot { files(first: 5) { totalCount nodes { name } } }
		... on FileCreated { file { id name facts { format } posterUrl } }
		... on FileChanged { file { id viewUrl posterUrl collisionUrl facts { format } start { position } } }
		... on FileDeleted { deletedFileId } } }`
	overBoth(t, "files", func(t *testing.T, w *world, subscribe func(account, string) reader) {
		w.file(w.alice, "old.ply")
		events := subscribe(w.alice, request(query, nil))
		events.until(t, `{"viewerFiles":{"__typename":"FilesSnapshot","files":{"totalCount":1,"nodes":[{"name":"old.ply"}]}}}`)
		w.file(w.bob, "bobs.ply") // nobody else's business
		file := w.file(w.alice, "new.ply")
		events.until(t, `{"viewerFiles":{"__typename":"FileCreated","file":{"id":"`+file.NodeID()+`","name":"new.ply","facts":null,"posterUrl":null}}}`)
		address := w.store.PublicURL(w.alice.id + "/derived/")
		changed := func(view, poster, collision, format, start string) {
			t.Helper()
			events.until(t, fmt.Sprintf(`{"viewerFiles":{"__typename":"FileChanged","file":{"id":"%s","viewUrl":"%s","posterUrl":%s,"collisionUrl":%s,"facts":%s,"start":%s}}}`,
				file.NodeID(), view, poster, collision, format, start))
		}
		check(t, w.db.Files().SetFacts(t.Context(), file.ResourceKey, &model.FileFacts{Format: model.FormatPLY, Splats: 9}))
		changed(w.FileURL(file), "null", "null", `{"format":"PLY"}`, "null")
		w.add(file, w.addPoster, "poster.jpg")
		changed(w.FileURL(file), `"`+address+`x/poster.jpg"`, "null", `{"format":"PLY"}`, "null")
		w.add(file, w.db.Files().AddView, "lod-meta.json")
		changed(address+"x/lod-meta.json", `"`+address+`x/poster.jpg"`, "null", `{"format":"PLY"}`, "null")
		w.add(file, func(ctx context.Context, file *model.File, key string, bytes int64) (bool, error) {
			return w.db.Files().AddCollision(ctx, file, key, bytes, &model.Start{Position: [3]float64{1, 2, 3}})
		}, "collision.voxel.json")
		changed(address+"x/lod-meta.json", `"`+address+`x/poster.jpg"`, `"`+address+`x/collision.voxel.json"`, `{"format":"PLY"}`, `{"position":[1,2,3]}`)
		_, err := w.Mutation().DeleteFile(w.alice.ctx, file.ResourceKey)
		check(t, err)
		events.until(t, `{"viewerFiles":{"__typename":"FileDeleted","deletedFileId":"`+file.NodeID()+`"}}`)
	})
}

// add adds a derived object to the file, as a worker does.
func (w *world) add(file *model.File, add func(context.Context, *model.File, string, int64) (bool, error), name string) {
	w.t.Helper()
	added, err := add(w.t.Context(), file, "derived/x/"+name, 1)
	check(w.t, err)
	equal(w.t, "added "+name, added, true)
}

// addPoster stores a poster of one size.
func (w *world) addPoster(ctx context.Context, file *model.File, key string, bytes int64) (bool, error) {
	return w.db.Files().SetPosters(ctx, file, &model.Posters{Sizes: []model.StoredPoster{{Key: key, Width: 640, Height: 400, Bytes: bytes}}})
}

func TestViewerSpaces_sends_each_change_of_the_list(t *testing.T) {
	t.Parallel()
	const query = `subscription { viewerSpaces { __typename
		... on SpacesSnapshot { spaces { nodes { id } } }
		... on SpaceCreated { space { id title version } }
		... on SpaceChanged { space { id title privacy version } }
		... on SpaceDeleted { deletedSpaceId } } }`
	overBoth(t, "spaces", func(t *testing.T, w *world, subscribe func(account, string) reader) {
		old := w.space(w.alice, model.SpaceInfinite)
		events := subscribe(w.alice, request(query, nil))
		events.until(t, `{"viewerSpaces":{"__typename":"SpacesSnapshot","spaces":{"nodes":[{"id":"`+old.NodeID()+`"}]}}}`)
		w.space(w.bob, model.SpaceInfinite)
		space := w.space(w.alice, model.SpaceInfinite)
		events.until(t, `{"viewerSpaces":{"__typename":"SpaceCreated","space":{"id":"`+space.NodeID()+`","title":"Untitled space","version":1}}}`)
		_, err := w.Mutation().UpdateSpace(w.alice.ctx, model.UpdateSpace{SpaceID: space.ID, SpaceTextInput: model.SpaceTextInput{Title: ptr("Hall")}})
		check(t, err)
		events.until(t, `{"viewerSpaces":{"__typename":"SpaceChanged","space":{"id":"`+space.NodeID()+`","title":"Hall","privacy":"PRIVATE","version":2}}}`)
		check(t, w.set(space, model.Public, false))
		events.until(t, `{"viewerSpaces":{"__typename":"SpaceChanged","space":{"id":"`+space.NodeID()+`","title":"Hall","privacy":"PUBLIC","version":3}}}`)
		check(t, w.db.Moderation().TakeDown(t.Context(), model.ReportSpace{SpaceID: space.ID, Reason: model.ReportSpam}))
		events.until(t, `{"viewerSpaces":{"__typename":"SpaceChanged","space":{"id":"`+space.NodeID()+`","title":"Hall","privacy":"PRIVATE","version":4}}}`)
		check(t, w.db.Moderation().RestoreSpace(t.Context(), space.ID))
		events.until(t, `{"viewerSpaces":{"__typename":"SpaceChanged","space":{"id":"`+space.NodeID()+`","title":"Hall","privacy":"PUBLIC","version":5}}}`)
		_, err = w.Mutation().DeleteSpace(w.alice.ctx, space.ID)
		check(t, err)
		events.until(t, `{"viewerSpaces":{"__typename":"SpaceDeleted","deletedSpaceId":"`+space.NodeID()+`"}}`)
	})
	t.Run("end with the key", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		events := w.events(t, w.eventsRequest(t, w.alice, request(query, nil)))
		events.until(t, `SpacesSnapshot`)
		w.query(w.alice, `mutation { revokeApiKey { revoked } }`, nil)
		events.until(t, `UNAUTHENTICATED`)
	})
}

// TestSpace_shows_what_a_file_gets follows a space as a visitor: the entity that shows a
// file is sent again when the file has a poster, a view or a collision, and when it is
// deleted. The entity itself stays as it is.
func TestSpace_shows_what_a_file_gets(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	file, other := w.file(w.alice, "größe 1.ply"), w.file(w.alice, "b.ply")
	space := w.open(w.alice, model.Public)
	for id, file := range map[string]*model.File{"shown": file, "other": other} {
		_, err := w.put(model.CreateEntity{SpaceID: space.ID, EntityID: &id, ResourceKey: &file.ResourceKey})
		check(t, err)
	}
	before := w.entity(space, "shown")
	events := w.watchSpace(t.Context(), w.bob, space)
	expect(t, events, "snapshot")
	for _, change := range []func(){
		func() {
			check(t, w.db.Files().SetFacts(t.Context(), file.ResourceKey, &model.FileFacts{Format: model.FormatPLY}))
		},
		func() { w.add(file, w.addPoster, "poster.jpg") },
		func() { w.add(file, w.db.Files().AddView, "lod-meta.json") },
		func() {
			w.add(file, func(ctx context.Context, file *model.File, key string, bytes int64) (bool, error) {
				return w.db.Files().AddCollision(ctx, file, key, bytes, nil)
			}, "collision.voxel.json")
		},
		func() {
			_, err := w.Mutation().DeleteFile(w.alice.ctx, file.ResourceKey)
			check(t, err)
		},
	} {
		change()
		got := expect(t, events, "entity-changed shown").entity
		equal(t, "version", got.Version, before.Version)
		equal(t, "change date", got.ChangedAt, before.ChangedAt)
		equal(t, "data", string(got.Data), string(before.Data))
	}
	// An entity that is being changed does not hold up the worker.
	check(t, w.db.InTx(t.Context(), func(tx *db.DB) error {
		if _, err := tx.Entities().MergeEntity(t.Context(), model.UpdateEntity{SpaceID: space.ID, EntityID: "other", Data: model.Object(`{"n":1}`)}); err != nil {
			return err
		}
		w.add(other, w.addPoster, "poster.jpg")
		return nil
	}))
	expect(t, events, "entity-changed other")
}

// counting is a store that protects files and counts the addresses that it signs.
type counting struct {
	storage.Store
	signed atomic.Int64
}

func (c *counting) ReadURL(_ context.Context, key string) (string, error) {
	c.signed.Add(1)
	return c.PublicURL(key) + "?signed", nil
}

// The file of an entity is read and encoded once for the owner, and once for the others, who get
// other addresses on a server that protects files.
func TestSubscriptions_share_files_by_owner(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	file := w.file(w.alice, "a.glb")
	space := w.open(w.alice, model.Public)
	_, err := w.put(model.CreateEntity{SpaceID: space.ID, EntityID: ptr("shown"), ResourceKey: &file.ResourceKey})
	check(t, err)
	store := &counting{Store: w.store}
	w.useStore(store)
	const document = `subscription($id: ID!) { space(id: $id) { __typename ... on EntityChanged { entity { file { viewUrl } } } } }`
	var readers []reader
	owners := []bool{true, false, false, true, false, false}
	for _, isOwner := range owners {
		who := w.bob
		if isOwner {
			who = w.alice
		}
		events := w.events(t, w.eventsRequest(t, who, request(document, map[string]any{"id": space.ID})))
		events.until(t, "SpaceSnapshot")
		readers = append(readers, events)
	}
	_, err = w.merge(space, "shown", `{"n":1}`)
	check(t, err)
	store.signed.Store(0)
	for i, r := range readers {
		address := store.PublicURL(file.StorageKey())
		if owners[i] {
			address += "?signed"
		}
		r.until(t, `"entity":{"file":{"viewUrl":"`+address+`"}}`)
	}
	equal(t, "addresses signed for the owner", store.signed.Load(), 1)
}
