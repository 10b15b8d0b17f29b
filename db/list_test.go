package db

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"portico/model"
)

// page is the first page of so many rows, or the one after a cursor.
func page(t testing.TB, limit int, cursor *string) model.Page {
	t.Helper()
	args := model.PageArgs{Limit: &limit}
	if cursor != nil {
		args.Cursor = *cursor
	}
	page, err := args.Page()
	check(t, err)
	return page
}

func entityIDs(c *model.EntityConnection) string {
	ids := []string{}
	for _, e := range c.Nodes {
		ids = append(ids, e.EntityID)
	}
	return strings.Join(ids, " ")
}

func checkPage(t testing.TB, c *model.EntityConnection, ids string, total int, more bool) {
	t.Helper()
	if got := entityIDs(c); got != ids {
		t.Errorf("page: got %q, want %q", got, ids)
	}
	if c.TotalCount != total || c.PageInfo.HasNextPage != more {
		t.Errorf("page %q: got total %d and more %v, want %d and %v", ids, c.TotalCount, c.PageInfo.HasNextPage, total, more)
	}
}

func TestEntities_pages_stay_right_while_entities_come_and_go(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ctx := t.Context()
	user := addUser(t, db)
	space, other := addSpace(t, db, user, "here"), addSpace(t, db, user, "there")
	addEntity(t, db, other, "elsewhere", model.TypeSimple, `{}`)
	for i := range 6 {
		addEntity(t, db, space, fmt.Sprintf("e%d", i), model.TypeSimple, `{}`)
	}
	first, err := db.Entities().Entities(ctx, space.ID, page(t, 2, nil))
	check(t, err)
	checkPage(t, first, "e0 e1", 6, true)

	// The row that the cursor names is deleted, and one before and one after it.
	for _, id := range []string{"e0", "e1", "e3"} {
		_, err := db.Entities().DeleteOwnedEntity(ctx, user.ID, space.ID, id)
		check(t, err)
	}
	addEntity(t, db, space, "e6", model.TypeSimple, `{}`)
	second, err := db.Entities().Entities(ctx, space.ID, page(t, 2, first.PageInfo.EndCursor))
	check(t, err)
	checkPage(t, second, "e2 e4", 4, true)

	last, err := db.Entities().Entities(ctx, space.ID, page(t, 2, second.PageInfo.EndCursor))
	check(t, err)
	checkPage(t, last, "e5 e6", 4, false)

	// An update does not move an entity.
	_, err = db.Entities().MergeEntity(ctx, model.UpdateEntity{SpaceID: space.ID, EntityID: "e2", Data: model.Object(`{"a":1}`)})
	check(t, err)
	all, err := db.Entities().Entities(ctx, space.ID, page(t, 200, nil))
	check(t, err)
	checkPage(t, all, "e2 e4 e5 e6", 4, false)

	after, err := db.Entities().Entities(ctx, space.ID, page(t, 2, last.PageInfo.EndCursor))
	check(t, err)
	checkPage(t, after, "", 4, false)
	if after.Nodes == nil || after.PageInfo.EndCursor != nil {
		t.Errorf("page after the end: got %v and cursor %v, want an empty list and none", after.Nodes, after.PageInfo.EndCursor)
	}
}

func TestEntities_leave_RoomInfo_out(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	space := addSpace(t, db, addUser(t, db), "here")
	empty, err := db.Entities().Entities(t.Context(), space.ID, page(t, 50, nil))
	check(t, err)
	checkPage(t, empty, "", 0, false)
	if got, want := storedEntity(t, db, space.ID, model.RoomInfoID).Type, model.TypeSimple; got != want {
		t.Errorf("type of RoomInfo: got %s, want %s", got, want)
	}
}

// The first page of a list that is long, and of one without rows.
func TestSpacesOf_counts_nothing_without_a_total(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	owner := addUser(t, db)
	for _, title := range []string{"a kitchen", "a hall", "another kitchen", "the last kitchen"} {
		addSpace(t, db, owner, title)
	}
	for text, want := range map[string]int{"kitchen": 2, "cellar": 0} {
		plans := plansOf(t, db, func(ctx context.Context, db *DB) error {
			page := model.Page{Limit: 2, Search: text, WithoutTotal: true}
			found, err := db.Spaces().SpacesOf(ctx, owner.ID, model.SpaceFilter{}, page)
			if err == nil && (len(found.Nodes) != want || found.PageInfo.HasNextPage != (want > 0) || found.TotalCount != 0) {
				t.Errorf("search for %q: got %v of %d with more %v, want %d of 0", text, titles(found), found.TotalCount, found.PageInfo.HasNextPage, want)
			}
			return err
		})
		for _, plan := range plans {
			if strings.Contains(plan, "count(*)") {
				t.Errorf("search for %q: got a count, want none\n%s", text, plan)
			}
		}
	}
}

func titles(c *model.SpaceConnection) []string {
	titles := []string{}
	for _, s := range c.Nodes {
		titles = append(titles, s.Title)
	}
	return titles
}

func TestSpacesOf_newest_first(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	owner, other := addUser(t, db), addUser(t, db)
	for _, title := range []string{"one", "two", "three"} {
		addSpace(t, db, owner, title)
		addSpace(t, db, other, "other "+title)
	}
	first, err := db.Spaces().SpacesOf(t.Context(), owner.ID, model.SpaceFilter{}, page(t, 2, nil))
	check(t, err)
	// A space that comes meanwhile is on the first page, not on the next.
	addSpace(t, db, owner, "four")
	second, err := db.Spaces().SpacesOf(t.Context(), owner.ID, model.SpaceFilter{}, page(t, 2, first.PageInfo.EndCursor))
	check(t, err)
	if got, want := append(titles(first), titles(second)...), []string{"three", "two", "one"}; !slices.Equal(got, want) {
		t.Errorf("spaces: got %v, want %v", got, want)
	}
	if first.TotalCount != 3 || second.TotalCount != 4 || !first.PageInfo.HasNextPage || second.PageInfo.HasNextPage {
		t.Errorf("pages: got %+v and %+v, want totals 3 and 4, more and no more", first, second)
	}
}

func TestSpacesOf_search(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	owner := addUser(t, db)
	for _, title := range []string{"100% wool", "1000 sheep", "a_b", "aXb", `back\slash`, "it's ? fine", "Ünder"} {
		addSpace(t, db, owner, title)
	}
	description := "Garden of STONE"
	space := model.NewSpace(owner.ID, model.CreateSpace{SpaceTextInput: model.SpaceTextInput{Description: &description}}, nil)
	check(t, db.Spaces().AddSpace(t.Context(), space, []*model.Entity{model.NewEntity(space.ID, "e", "x", nil)}))
	for _, test := range []struct{ search, want string }{
		{"100", "1000 sheep|100% wool"},
		{"100%", "100% wool"},
		{"a_b", "a_b"},
		{"_", "a_b"},
		{`\`, `back\slash`},
		{"%", "100% wool"},
		{"WOOL", "100% wool"},
		{"stone", model.UntitledSpace},
		{"t's ?", "it's ? fine"},
		{"Ünd", "Ünder"},
		{"nothing", ""},
		{" wool ", "100% wool"},
	} {
		t.Run(test.search, func(t *testing.T) {
			t.Parallel()
			page, err := model.PageArgs{Search: test.search}.Page()
			check(t, err)
			found, err := db.Spaces().SpacesOf(t.Context(), owner.ID, model.SpaceFilter{}, page)
			check(t, err)
			if got := strings.Join(titles(found), "|"); got != test.want {
				t.Errorf("found: got %q, want %q", got, test.want)
			}
			if got, want := found.TotalCount, len(found.Nodes); got != want {
				t.Errorf("total: got %d, want %d", got, want)
			}
		})
	}
}

func TestFiles_newest_first(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	user := addUser(t, db)
	var want []string
	for range 3 {
		upload := addUpload(t, db, user, 10, 0)
		check(t, db.Files().AddFile(t.Context(), model.NewFile(upload)))
		want = append([]string{upload.ResourceKey}, want...)
	}
	files, err := db.Files().Files(t.Context(), user.ID, model.FileFilter{}, page(t, 50, nil))
	check(t, err)
	got := []string{}
	for _, file := range files.Nodes {
		got = append(got, file.ResourceKey)
	}
	if !slices.Equal(got, want) || files.TotalCount != 3 {
		t.Errorf("files: got %v of %d, want %v of 3", got, files.TotalCount, want)
	}
	stranger, err := db.Files().Files(t.Context(), addUser(t, db).ID, model.FileFilter{}, page(t, 50, nil))
	check(t, err)
	if got, want := stranger.TotalCount, 0; got != want {
		t.Errorf("files of another user: got %d, want %d", got, want)
	}
}
