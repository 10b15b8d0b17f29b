package db

import (
	"fmt"
	"sync"
	"testing"

	"portico/model"
)

// codeAndField returns how a change was refused; "" for a change that was made.
func codeAndField(err error) string {
	if err == nil {
		return ""
	}
	refusal := model.AsError(err)
	return fmt.Sprint(refusal.Code, " ", refusal.Field, " ", refusal.Reason)
}

const handleIsTaken = "invalid handle taken"

// leadsTo checks which account a name leads to, and which name the account has now.
func leadsTo(t *testing.T, db *DB, handle, userID, current string) {
	t.Helper()
	gotID, gotCurrent, err := db.Handles().AccountOfHandle(t.Context(), handle)
	if userID == "" {
		if model.CodeOf(err) != model.CodeNotFound {
			t.Errorf("%s: got %s, %v, want nobody", handle, gotID, err)
		}
		return
	}
	check(t, err)
	if gotID != userID || gotCurrent != current {
		t.Errorf("%s: got %s with %q, want %s with %q", handle, gotID, gotCurrent, userID, current)
	}
}

func TestSetHandle_gives_one_name_to_one_of_many(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	const people = 8
	refusals := make([]error, people)
	users := make([]*model.User, people)
	for i := range users {
		users[i] = addUser(t, db)
	}
	var all sync.WaitGroup
	for i, user := range users {
		all.Go(func() { refusals[i] = db.Handles().SetHandle(t.Context(), user.ID, "ada") })
	}
	all.Wait()
	winners := 0
	for i, err := range refusals {
		if err == nil {
			winners++
			leadsTo(t, db, "ada", users[i].ID, "ada")
		} else if got := codeAndField(err); got != handleIsTaken {
			t.Errorf("refusal: got %q (%v), want %q", got, err, handleIsTaken)
		}
	}
	if winners != 1 {
		t.Errorf("accounts with the name: got %d, want 1", winners)
	}
}

// Two accounts that want each other's names wait for each other's rows, in one order.
func TestSetHandle_of_two_who_swap_refuses_both(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ada, bob := addUser(t, db), addUser(t, db)
	for range 10 {
		check(t, db.Handles().SetHandle(t.Context(), ada.ID, "ada"))
		check(t, db.Handles().SetHandle(t.Context(), bob.ID, "bob"))
		var both sync.WaitGroup
		for _, change := range []struct{ user, handle string }{{ada.ID, "bob"}, {bob.ID, "ada"}} {
			both.Go(func() {
				if got := codeAndField(db.Handles().SetHandle(t.Context(), change.user, change.handle)); got != handleIsTaken {
					t.Errorf("%s: got %q, want %q", change.handle, got, handleIsTaken)
				}
			})
		}
		both.Wait()
	}
}

func TestSetHandle_holds_the_name_that_an_account_left(t *testing.T) {
	t.Parallel()
	db, ctx := testDB(t), t.Context()
	ada, bob := addUser(t, db), addUser(t, db)
	check(t, db.Handles().SetHandle(ctx, ada.ID, "ada"))
	check(t, db.Handles().SetHandle(ctx, ada.ID, "ada-l"))
	leadsTo(t, db, "ada", ada.ID, "ada-l")
	if got := codeAndField(db.Handles().SetHandle(ctx, bob.ID, "ada")); got != handleIsTaken {
		t.Errorf("a name that another left: got %q, want %q", got, handleIsTaken)
	}
	check(t, db.Handles().SetHandle(ctx, ada.ID, "ada")) // back
	leadsTo(t, db, "ada-l", ada.ID, "ada")
	check(t, db.Handles().SetHandle(ctx, ada.ID, ""))
	leadsTo(t, db, "ada", ada.ID, "")

	_, err := db.idb.ExecContext(ctx, "UPDATE handles SET ended_at = now() - "+handleHold+" WHERE handle = 'ada'")
	check(t, err)
	leadsTo(t, db, "ada", "", "")
	check(t, db.Handles().SetHandle(ctx, bob.ID, "ada"))
	leadsTo(t, db, "ada", bob.ID, "ada")
	purged, err := db.Handles().PurgeHandles(ctx, 10)
	check(t, err)
	if purged != 0 {
		t.Errorf("purged: got %d names, want none that is held or taken anew", purged)
	}
}

func TestSetHandle_lets_nobody_collect_names(t *testing.T) {
	t.Parallel()
	db, ctx := testDB(t), t.Context()
	ada := addUser(t, db)
	for i := range model.MaxFormerHandles + 1 {
		check(t, db.Handles().SetHandle(ctx, ada.ID, fmt.Sprintf("name-%d", i)))
	}
	if got := codeAndField(db.Handles().SetHandle(ctx, ada.ID, "one-more")); got != "invalid handle " {
		t.Errorf("one name too many: got %q, want a refusal", got)
	}
	leadsTo(t, db, "name-0", ada.ID, fmt.Sprintf("name-%d", model.MaxFormerHandles))
	check(t, db.Handles().SetHandle(ctx, ada.ID, "name-0")) // holds no more names than before
}

func TestDeleteUser_keeps_its_names_without_the_account(t *testing.T) {
	t.Parallel()
	db, ctx := testDB(t), t.Context()
	ada, bob := addUser(t, db), addUser(t, db)
	space := addSpace(t, db, ada, "Hall")
	check(t, db.Handles().SetHandle(ctx, ada.ID, "ada"))
	check(t, db.Handles().SetHandle(ctx, ada.ID, "ada-l"))
	_, err := db.Handles().SetSlug(ctx, space.ID, "hall")
	check(t, err)
	check(t, db.Accounts().DeleteUser(ctx, ada.ID, allow))
	for _, name := range []string{"ada", "ada-l"} {
		leadsTo(t, db, name, "", "")
		if got := codeAndField(db.Handles().SetHandle(ctx, bob.ID, name)); got != handleIsTaken {
			t.Errorf("%s of a deleted account: got %q, want %q", name, got, handleIsTaken)
		}
	}
	var left, held int
	check(t, db.idb.NewRaw("SELECT count(*) FROM space_slugs").Scan(ctx, &left))
	check(t, db.idb.NewRaw("SELECT count(*) FROM handles WHERE user_id IS NULL AND ended_at IS NOT NULL").Scan(ctx, &held))
	if left != 0 || held != 2 {
		t.Errorf("rows: got %d names of spaces and %d held ones, want 0 and 2", left, held)
	}
}

func TestSetSlug_is_unique_within_the_account(t *testing.T) {
	t.Parallel()
	db, ctx := testDB(t), t.Context()
	ada, bob := addUser(t, db), addUser(t, db)
	hall, yard, other := addSpace(t, db, ada, "Hall"), addSpace(t, db, ada, "Yard"), addSpace(t, db, bob, "Hall")
	check(t, db.Handles().SetHandle(ctx, ada.ID, "ada"))
	set := func(space *model.Space, slug string) string {
		_, err := db.Handles().SetSlug(ctx, space.ID, slug)
		return codeAndField(err)
	}
	leads := func(slug string, want *model.Space) {
		t.Helper()
		got, err := db.Handles().SpaceOfNames(ctx, model.Named{Handle: "ada", Slug: slug})
		if want == nil && model.CodeOf(err) != model.CodeNotFound || want != nil && (err != nil || got.ID != want.ID) {
			t.Errorf("%s: got %v, %v, want %v", slug, got, err, want)
		}
	}
	if set(hall, "hall") != "" || set(other, "hall") != "" {
		t.Error("the same name in two accounts: got a refusal, want both")
	}
	if got := set(yard, "hall"); got != "invalid slug taken" {
		t.Errorf("the name of another space: got %q, want a refusal", got)
	}
	set(hall, "great-hall")
	leads("hall", hall)
	set(yard, "hall") // the owner decides
	leads("hall", yard)
	set(yard, "")
	leads("hall", yard)
	for i := range model.MaxFormerSlugs + 5 {
		set(hall, fmt.Sprintf("hall-%d", i))
	}
	leads("hall-0", nil)
	leads("hall-10", hall)
	leads("hall", yard)
	names, err := db.Handles().NamesOfSpaces(ctx, []string{hall.ID, yard.ID})
	check(t, err)
	if len(names) != 1 || names[hall.ID] != (model.Named{Handle: "ada", Slug: "hall-14"}) {
		t.Errorf("names: got %v, want that of the hall", names)
	}
}
