package graph_test

import (
	"encoding/json"
	"io"
	"strings"
	"testing"

	"portico/model"
)

// allowCopies lets others copy the space.
func (w *world) allowCopies(who account, space *model.Space) {
	w.t.Helper()
	_, err := w.Mutation().UpdateSpace(who.ctx, model.UpdateSpace{SpaceID: space.ID, CopiesAllowed: ptr(true)})
	check(w.t, err)
}

func (w *world) duplicate(who account, space *model.Space) (*model.Space, error) {
	w.t.Helper()
	return w.Mutation().DuplicateSpace(who.ctx, model.DuplicateSpace{SpaceID: space.ID})
}

// stored returns the data of the entities of a space of anybody, by their ids.
func (w *world) stored(spaceID string) (data map[string]string) {
	w.t.Helper()
	var text string
	w.scan(&text, "SELECT coalesce(json_object_agg(entity_id, data::text), '{}') FROM entities WHERE space_id = '"+spaceID+"'")
	check(w.t, json.Unmarshal([]byte(text), &data))
	return data
}

// read returns the content of an object; "" for a missing one.
func (w *world) read(key string) string {
	w.t.Helper()
	content, err := w.store.Open(w.t.Context(), key)
	if err != nil {
		return ""
	}
	defer func() { check(w.t, content.Close()) }()
	bytes, err := io.ReadAll(content)
	check(w.t, err)
	return string(bytes)
}

func TestDuplicateSpace_of_the_owner_shares_files_and_counts_them_once(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.makeRoom()
	file := w.file(w.alice, "room.ply")
	source, err := w.Mutation().CreateSpace(w.alice.ctx, model.CreateSpace{
		ResourceKey: &file.ResourceKey, Type: ptr(model.SpaceHub), Data: model.Object(`{"n":12345678901234567890,"splatjs":{"a":1}}`),
		SpaceTextInput: model.SpaceTextInput{Title: ptr("Hall"), Licence: ptr("CC-BY-4.0")},
	})
	check(t, err)
	_, err = w.put(model.CreateEntity{SpaceID: source.ID, EntityID: ptr("clock"), Data: model.NewGLBURL("https://elsewhere.example/clock.mjs")})
	check(t, err)
	w.exec("INSERT INTO space_files VALUES ($1, 'plugins/clock.mjs', $2, 'ff')", source.ID, file.ResourceKey)
	before := w.storage(w.alice)
	copied, err := w.duplicate(w.alice, source)
	check(t, err)
	equal(t, "privacy, type, title and licence", string(copied.Privacy)+string(copied.Type)+copied.Title+copied.Licence, "PrivatehubHallCC-BY-4.0")
	equal(t, "data", string(copied.Data), `{"n":12345678901234567890}`)
	equal(t, "origin of a copy of one's own space", copied.OriginID, "")
	equal(t, "entities", len(w.stored(copied.ID)), len(w.stored(source.ID)))
	for id, data := range w.stored(source.ID) {
		equal(t, "entity "+id, w.stored(copied.ID)[id], data)
	}
	equal(t, "files of the copy", w.count("SELECT count(*) FROM space_files WHERE space_id = $1", copied.ID), 1)
	equal(t, "files of the account", w.count("SELECT count(*) FROM files"), 1)
	if got := w.storage(w.alice).Used - before.Used; got <= 0 || got > 8192 {
		t.Errorf("storage: got %d bytes more, want those of the JSON alone", got)
	}
	equal(t, "changes in the history of the copy", w.count("SELECT count(*) FROM changes WHERE space_id = $1", copied.ID), 0)
	// The copies differ from here on.
	_, err = w.Mutation().DeleteSpace(w.alice.ctx, source.ID)
	check(t, err)
	if len(w.stored(copied.ID)) == 0 {
		t.Error("entities after the deletion of the source: got none, want all")
	}
}

func TestDuplicateSpace_of_another_has_files_of_its_own(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.makeRoom()
	file := w.file(w.alice, "räum.ply")
	folder, _ := w.extracted(w.alice)
	poster := file.DerivedRoot() + "1/poster.webp"
	_, err := w.store.Put(t.Context(), w.alice.id+"/"+poster, strings.NewReader("poster"))
	check(t, err)
	w.exec(`UPDATE files SET poster_key = $1, derived_bytes = 6, posters = jsonb_build_object('sizes', jsonb_build_array(jsonb_build_object('key', $1::text))) WHERE resource_key = $2`, poster, file.ResourceKey)
	source, err := w.Mutation().CreateSpace(w.alice.ctx, model.CreateSpace{
		ResourceKey: &file.ResourceKey, Data: model.NewObject(map[string]any{"logo": file.ResourceKey}),
		SpaceTextInput: model.SpaceTextInput{Title: ptr("Hall"), Licence: ptr("CC-BY-SA-4.0")},
	})
	check(t, err)
	_, err = w.put(model.CreateEntity{SpaceID: source.ID, EntityID: ptr("wall"), Data: model.NewObject(map[string]any{
		"glbUrl": w.store.PublicURL(folder.StorageKey()), "picture": w.store.PublicURL(w.alice.id + "/" + poster), "n": 7,
	})})
	check(t, err)
	_, err = w.put(model.CreateEntity{SpaceID: source.ID, EntityID: ptr("clock"), Data: model.NewGLBURL("https://elsewhere.example/clock.MJS?v=1")})
	check(t, err)
	check(t, w.set(source, model.Public, false))

	_, err = w.duplicate(w.bob, source)
	checkError(t, err, model.CodeForbidden, "The owner of this space does not allow copies")
	w.allowCopies(w.alice, source)
	before := w.storage(w.bob)
	copied, err := w.duplicate(w.bob, source)
	check(t, err)
	equal(t, "owner", copied.OwnerID, w.bob.id)
	equal(t, "licence", copied.Licence, "CC-BY-SA-4.0")
	equal(t, "origin", copied.OriginID, source.ID)
	equal(t, "others may copy the copy", copied.CopiesAllowed, false)
	content := w.stored(copied.ID)
	if _, hasPlugin := content["clock"]; hasPlugin || len(content) != len(w.stored(source.ID))-1 {
		t.Errorf("entities: got %v, want all but the plugin", content)
	}
	for id, data := range content {
		if strings.Contains(data, w.alice.id) || strings.Contains(data, file.UploadID) || strings.Contains(data, folder.UploadID) {
			t.Errorf("%s: got %s, want no file of the other account", id, data)
		}
	}
	if strings.Contains(string(copied.Data), file.UploadID) || !strings.Contains(string(copied.Data), "api_uploads/") {
		t.Errorf("data: got %s, want the key of the copy", copied.Data)
	}
	files := w.filesOf(w.bob)
	equal(t, "files", len(files), 2)
	used := int64(0)
	for _, own := range files {
		used += own.Size + own.DerivedBytes
		if w.read(own.StorageKey()) == "" {
			t.Errorf("%s: got no content, want a copy", own.ResourceKey)
		}
		if own.PosterKey != "" {
			equal(t, "poster", w.read(own.PosterStorageKey())+own.Posters.Sizes[0].Key, "poster"+own.PosterKey)
		}
	}
	if got := w.storage(w.bob).Used - before.Used; got < used {
		t.Errorf("storage: got %d bytes more, want the %d of the files", got, used)
	}
	equal(t, "removals", w.count("SELECT count(*) FROM removals WHERE key LIKE $1", w.bob.id+"%"), 0)

	// The copy depends on nothing of the other account.
	check(t, w.set(source, model.Private, false))
	for _, key := range []string{file.ResourceKey, folder.ResourceKey} {
		_, err = w.Mutation().DeleteFile(w.alice.ctx, key)
		check(t, err)
	}
	for _, own := range files {
		if w.read(own.StorageKey()) == "" {
			t.Errorf("%s after the deletion of the source: got no content", own.ResourceKey)
		}
	}
	const origin = `{ space(id: "`
	equal(t, "a hidden origin", w.query(w.bob, origin+copied.ID+`") { isRemix origin { title } } }`, nil), `{"space":{"isRemix":true,"origin":null}}`)
	check(t, w.set(source, model.Public, false))
	equal(t, "a Public origin", w.query(w.bob, origin+copied.ID+`") { isRemix origin { title } } }`, nil), `{"space":{"isRemix":true,"origin":{"title":"Hall"}}}`)
	check(t, w.set(source, model.LinkOnly, false))
	equal(t, "a Link Only origin", w.query(w.bob, origin+copied.ID+`") { origin { spaceId } } }`, nil), `{"space":{"origin":null}}`)
	again, err := w.duplicate(w.bob, copied)
	check(t, err)
	equal(t, "the origin of a copy of the copy", again.OriginID, source.ID)
}

// A space may name files of other accounts: whoever copies it gets none of their bytes.
func TestDuplicateSpace_copies_no_file_of_a_third_account(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.makeRoom()
	secret := w.file(w.bob, "secret.ply")
	source := w.open(w.alice, model.Public)
	_, err := w.put(model.CreateEntity{SpaceID: source.ID, EntityID: ptr("bait"), Data: model.NewGLBURL(w.store.PublicURL(secret.StorageKey()))})
	check(t, err)
	w.allowCopies(w.alice, source)
	carol := w.account(w.keys, "carol@example.com", model.PlanFree)
	w.makeRoom()
	copied, err := w.duplicate(carol, source)
	check(t, err)
	equal(t, "files", len(w.filesOf(carol)), 0)
	equal(t, "the reference", w.stored(copied.ID)["bait"], w.stored(source.ID)["bait"])
}

func TestDuplicateSpace_leaves_nothing_behind_when_it_is_refused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	file := w.file(w.alice, "room.ply")
	source, err := w.Mutation().CreateSpace(w.alice.ctx, model.CreateSpace{ResourceKey: &file.ResourceKey})
	check(t, err)
	check(t, w.set(source, model.Public, false))
	w.allowCopies(w.alice, source)
	objects := w.objects()
	// Room for the bytes of the file, and not for the entities that come before it.
	w.exec("UPDATE users SET quota = 300 WHERE id = $1", w.bob.id)
	_, err = w.duplicate(w.bob, source)
	checkError(t, err, model.CodeQuotaExceeded, "")
	w.exec("UPDATE users SET quota = 5 WHERE id = $1", w.bob.id)
	_, err = w.duplicate(w.bob, source)
	checkError(t, err, model.CodeQuotaExceeded, "")
	equal(t, "objects", w.objects(), objects)
	equal(t, "rows", w.count("SELECT (SELECT count(*) FROM spaces WHERE owner_id = $1) + (SELECT count(*) FROM files WHERE user_id = $1)", w.bob.id), 0)
}

func TestDuplicateSpace_is_for_those_whom_the_owner_allows(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.makeRoom()
	for _, privacy := range []model.Privacy{model.Public, model.LinkOnly, model.Private} {
		source := w.open(w.alice, privacy)
		w.allowCopies(w.alice, source)
		_, err := w.duplicate(account{ctx: t.Context()}, source)
		checkError(t, err, model.CodeUnauthenticated, "")
		_, err = w.duplicate(w.bob, source)
		if privacy == model.Private {
			checkError(t, err, model.CodeForbidden, "You are not authorized to access this space")
		} else {
			check(t, err)
		}
		for _, download := range []bool{false, true} {
			visit := &model.LinkVisit{SpaceID: source.ID, AllowsDownload: download}
			_, err = w.duplicate(account{ctx: model.WithLinkVisits(w.bob.ctx, []*model.LinkVisit{visit})}, source)
			if privacy == model.Private && !download {
				checkError(t, err, model.CodeForbidden, "The owner of this space does not allow copies")
			} else {
				check(t, err)
			}
		}
	}
	_, err := w.duplicate(w.bob, &model.Space{ID: "12345678_nothing"})
	checkError(t, err, model.CodeNotFound, "")
}

func TestSpaces_lists_the_templates_of_the_owner(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	template := w.open(w.alice, model.Private)
	w.open(w.alice, model.Private)
	w.query(w.alice, `mutation($id: ID!) { updateSpace(input: {spaceId: $id, template: true}) { space { template } } }`, map[string]any{"id": template.ID})
	const templates = `{ spaces(filter: {template: true}) { totalCount nodes { spaceId } } }`
	equal(t, "templates", w.query(w.alice, templates, nil), `{"spaces":{"totalCount":1,"nodes":[{"spaceId":"`+template.ID+`"}]}}`)
	equal(t, "templates of another", w.query(w.bob, templates, nil), `{"spaces":{"totalCount":0,"nodes":[]}}`)
}
