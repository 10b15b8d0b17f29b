package db

import (
	"fmt"
	"testing"
	"time"

	"portico/model"
)

func TestEpoch_is_the_moment_that_was_stored(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	for _, text := range []string{
		"1970-01-01T00:00:00Z", "1969-12-31T23:59:59.999999Z", "1900-02-28T12:00:00.000001Z", "2026-11-27T16:40:32.669Z",
		"2026-11-27T23:59:59.999999Z", "2038-01-19T03:14:08.000001Z", "2241-12-31T23:59:59.123457Z",
	} {
		want, err := time.Parse(time.RFC3339Nano, text)
		check(t, err)
		var got epoch
		check(t, db.idb.NewRaw("SELECT date_part('epoch', ?::timestamptz)", text).Scan(t.Context(), &got))
		if !got.Equal(want) {
			t.Errorf("%s: got %s", text, model.Time(got).Format(time.RFC3339Nano))
		}
	}
}

// pgdriver must not read the next row into the memory of the previous one.
func TestOwnJSON_of_a_row_survives_the_next_rows(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	user := addUser(t, db)
	space := addSpace(t, db, user, "Hall")
	for i := range 3 {
		addEntity(t, db, space, fmt.Sprint("e", i), model.TypeSimple, fmt.Sprintf(`{"n": %d}`, i))
	}
	page, err := db.Entities().OwnedEntities(t.Context(), user.ID, space.ID, model.Page{Limit: 3})
	check(t, err)
	if len(page.Nodes) != 3 {
		t.Fatalf("got %d entities, want 3", len(page.Nodes))
	}
	for i, entity := range page.Nodes {
		if got, want := string(entity.Data), fmt.Sprintf(`{"n": %d}`, i); got != want {
			t.Errorf("%s: got %s, want %s", entity.EntityID, got, want)
		}
	}
}
