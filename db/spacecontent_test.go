package db

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"portico/model"
)

// addShown adds an entity that shows the file, with a poster or without one.
func addShown(t testing.TB, db *DB, space *model.Space, id string, file *model.File) {
	t.Helper()
	addEntity(t, db, space, id, model.TypeUserModel, fmt.Sprintf(`{"glbUrl":"https://files.example/%s"}`, file.StorageKey()))
}

// addPoster adds a confirmed file of the user with facts and a poster.
func addPoster(t testing.TB, db *DB, user *model.User, key string) *model.File {
	t.Helper()
	file := addConfirmed(t, db, user, 10)
	check(t, db.Files().SetFacts(t.Context(), file.ResourceKey, &model.FileFacts{Format: model.FormatSOG, Splats: 3}))
	_, err := db.Files().SetPosters(t.Context(), file, onePoster(key, 1))
	check(t, err)
	return file
}

func TestSpaceContent_lists_items_with_titles_links_and_files(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	owner, other := addUser(t, db), addUser(t, db)
	space := addSpace(t, db, owner, "space")
	file := addPoster(t, db, owner, "poster")
	addShown(t, db, space, "capture", file)
	addShown(t, db, space, "of another account", addPoster(t, db, other, "foreign"))
	addEntity(t, db, space, "named", "x", `{"displayName":"display","title":"title","name":"name"}`)
	addEntity(t, db, space, "titled", "x", `{"displayName":"","title":"title","name":"name"}`)
	addEntity(t, db, space, "odd", "x", `{"displayName":{"a":1},"title":7,"glbUrl":[],"link":null,"hidden":"yes"}`)
	addEntity(t, db, space, "long", "x", `{"name":"`+strings.Repeat("ü", 5000)+`"}`)
	addEntity(t, db, space, "hidden", "x", `{"hidden":true}`)
	addEntity(t, db, space, "gate", model.TypeDynamicGate, `{"link":"https://example.com","embeddedEnabled":true,"dynamicGate":{"hidden":true}}`)

	got, err := db.Spaces().SpaceContent(t.Context(), space, 100)
	check(t, err)
	want := []string{
		`capture "" link "" hidden false file true`, `of another account "" link "" hidden false file false`,
		`named "display" link "" hidden false file false`, `titled "title" link "" hidden false file false`,
		`odd "" link "" hidden false file false`, `long "` + strings.Repeat("ü", maxItemText) + `" link "" hidden false file false`,
		`hidden "" link "" hidden true file false`, `gate "" link "https://example.com" hidden true file false`,
	}
	var items []string
	for _, item := range got.Items {
		items = append(items, fmt.Sprintf("%s %q link %q hidden %t file %t", item.EntityID, item.Title, item.Link, item.Hidden, item.File != nil))
	}
	if !slices.Equal(items, want) || got.OwnerName != owner.Name || got.More {
		t.Errorf("content: got %q of %q, more %t, want %q of %q", items, got.OwnerName, got.More, want, owner.Name)
	}
	for i, item := range got.Items {
		if item.Embedded != (i == len(want)-1) {
			t.Errorf("%s: got embedded %t, want it for the gate alone", item.EntityID, item.Embedded)
		}
	}
	if shown := got.Items[0].File; shown.ResourceKey != file.ResourceKey || shown.PosterKey != "poster" || shown.Facts.Splats != 3 {
		t.Errorf("file: got %+v, want %s with its poster and its facts", shown, file.ResourceKey)
	}
}

func TestSpaceContent_is_limited(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	owner := addUser(t, db)
	setQuota(t, db, owner, 10_000_000)
	empty, full := addSpace(t, db, owner, "empty"), addSpace(t, db, owner, "full")
	for i := range 4 {
		addEntity(t, db, full, fmt.Sprint(i), "x", `{"text":"`+strings.Repeat("x", 400_000)+`"}`)
	}
	for _, row := range []struct {
		space *model.Space
		limit int
		want  int
		more  bool
	}{{empty, 10, 0, false}, {full, 1, 1, true}, {full, 10, 2, true}} { // two have nearly MaxPageBytes
		got, err := db.Spaces().SpaceContent(t.Context(), row.space, row.limit)
		check(t, err)
		if len(got.Items) != row.want || got.More != row.more || got.OwnerName != owner.Name {
			t.Errorf("%s, %d: got %d items, more %t, want %d, %t", row.space.Title, row.limit, len(got.Items), got.More, row.want, row.more)
		}
	}
	_, err := db.Spaces().SpaceContent(t.Context(), &model.Space{ID: empty.ID, OwnerID: "99999999"}, 1)
	checkCode(t, err, model.CodeNotFound)
}

func TestCovers_show_the_first_poster_of_the_owner(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	owner, other := addUser(t, db), addUser(t, db)
	bare, shown, far := addSpace(t, db, owner, "bare"), addSpace(t, db, owner, "shown"), addSpace(t, db, owner, "far")
	addShown(t, db, shown, "foreign", addPoster(t, db, other, "foreign"))
	addShown(t, db, shown, "first", addPoster(t, db, owner, "first"))
	addShown(t, db, shown, "second", addPoster(t, db, owner, "second"))
	for i := range maxCoverEntities {
		addEntity(t, db, far, fmt.Sprint(i), "x", `{}`)
	}
	addShown(t, db, far, "late", addPoster(t, db, owner, "late"))
	ids := []string{bare.ID, shown.ID, far.ID, "unknown"}

	covers, err := db.Spaces().Covers(t.Context(), ids)
	check(t, err)
	profile, own, err := db.Spaces().ProfileWithCovers(t.Context(), owner.ID, other.ID, ids)
	check(t, err)
	if profile.Name != owner.Name || profile.Followed {
		t.Errorf("profile: got %+v, want %s, who is not followed", profile, owner.Name)
	}
	for space, want := range map[*model.Space]string{bare: "", shown: "first", far: ""} {
		for how, cover := range map[string]model.Cover{"Covers": covers[space.ID], "ProfileWithCovers": own[space.ID]} {
			if cover.PosterKey != want || cover.OwnerID != owner.ID || cover.OwnerName != owner.Name {
				t.Errorf("%s of %s: got %+v, want the poster %q of %s", how, space.Title, cover, want, owner.Name)
			}
		}
	}
	check(t, db.Accounts().Follow(t.Context(), owner.ID, other.ID))
	profile, own, err = db.Spaces().ProfileWithCovers(t.Context(), owner.ID, other.ID, nil)
	check(t, err)
	if !profile.Followed || own[shown.ID].PosterKey != "" {
		t.Errorf("profile without spaces: got %+v and %v, want one who is followed", profile, own)
	}
	_, _, err = db.Spaces().ProfileWithCovers(t.Context(), "99999999", "", ids)
	checkCode(t, err, model.CodeNotFound)
}

func TestSitemap_divides_public_spaces(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	owner := addUser(t, db)
	var public []string
	for i := range 7 {
		space := addSpace(t, db, owner, fmt.Sprint(i))
		if i == 3 {
			continue // Private
		}
		privacy := model.Public
		_, err := db.Spaces().UpdateSpace(t.Context(), model.UpdateSpace{SpaceID: space.ID, Privacy: &privacy})
		check(t, err)
		public = append(public, space.ID)
	}
	parts, err := db.Spaces().SitemapParts(t.Context(), 4)
	check(t, err)
	if len(parts) != 2 {
		t.Fatalf("parts: got %v, want two", parts)
	}
	for i, want := range [][]string{public[:4], public[4:]} {
		page, err := db.Spaces().SitemapPage(t.Context(), parts[i], 4)
		check(t, err)
		var ids []string
		for _, space := range page {
			ids = append(ids, space.ID)
		}
		if !slices.Equal(ids, want) {
			t.Errorf("part %d: got %q, want %q", i, ids, want)
		}
	}
}

// statementsOfPages are the statements of the pages of spaces and people.
func statementsOfPages() statementsOf {
	return statementsOf{
		"SpaceContent": func(ctx context.Context, db *DB) error {
			_, err := db.Spaces().SpaceContent(ctx, &model.Space{ID: grownSpace, OwnerID: grownUser}, 50)
			return err
		},
		"Covers": func(ctx context.Context, db *DB) error {
			_, err := db.Spaces().Covers(ctx, []string{"s1", grownSpace})
			return err
		},
		"ProfileWithCovers": func(ctx context.Context, db *DB) error {
			_, _, err := db.Spaces().ProfileWithCovers(ctx, grownUser, "10000006", []string{"s4", grownSpace})
			return err
		},
		"SitemapParts": func(ctx context.Context, db *DB) error { _, err := db.Spaces().SitemapParts(ctx, 10); return err },
		"SitemapPage":  func(ctx context.Context, db *DB) error { _, err := db.Spaces().SitemapPage(ctx, 100, 10); return err },
	}
}
