package rest

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
)

type pageOf struct {
	Spaces   []struct{ Title string }
	Entities []struct {
		EntityID string `json:"entity_id"`
	}
	Files []struct {
		FileName string `json:"file_name"`
	}
	Count      int
	Total      int
	NextCursor *string
	HasMore    bool
}

func TestPage_checks_limit_and_cursor(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	lists := []string{"/v1/spaces", "/v1/files", "/v1/spaces/" + w.space(w.alice, `{}`) + "/entities"}
	const badLimit = "limit must be a whole number of at least 1"
	for _, c := range []struct{ query, want string }{
		{"", ""},
		{"limit=1", ""},
		{"limit=200", ""},
		{"limit=201", ""},
		{"limit=99999999999999999999999", ""},
		{"cursor=", ""},
		{"else=1", ""},
		{"limit=0", badLimit},
		{"limit=-1", badLimit},
		{"limit=-99999999999999999999999", badLimit},
		{"limit=ten", badLimit},
		{"limit=", badLimit},
		{"limit=1.5", badLimit},
		{"limit=1e2", badLimit},
		{"limit=%201", badLimit},
		{"limit=%zz", "The query of the address is not well-formed"},
		{"cursor=nonsense", "cursor is not a cursor of this server"},
		{"cursor=MQ", "cursor is not a cursor of this server"},
		{"cursor=%00", "cursor is not a cursor of this server"},
	} {
		for _, list := range lists {
			got := w.call(w.alice, "GET", list+"?"+c.query, "")
			switch {
			case c.want != "":
				got.refused(400, c.want)
			case got.status != 200:
				t.Errorf("%s?%s: got %d %s, want 200", list, c.query, got.status, got.body)
			}
		}
	}
}

func TestPage_looks_for_the_space_before_the_limit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	his := w.space(w.bob, `{}`)
	for _, limit := range []string{"abc", "0", "-1", "1.5", ""} {
		w.call(w.alice, "GET", "/v1/spaces/none/entities?limit="+limit, "").refused(404, "Space not found")
		w.call(w.alice, "GET", "/v1/spaces/"+his+"/entities?limit="+limit, "").refused(403, "You are not authorized to access this space")
	}
}

func TestPage_walks_a_list_to_its_end(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range 5 {
		w.space(w.alice, fmt.Sprintf(`{'title':'%d'}`, i))
	}
	w.space(w.bob, `{'title':'not hers'}`)
	var titles []string
	var sizes []int
	for query := "?limit=2"; query != ""; {
		page := read[pageOf](w.call(w.alice, "GET", "/v1/spaces"+query, ""), 200)
		for _, space := range page.Spaces {
			titles = append(titles, space.Title)
		}
		sizes = append(sizes, page.Count)
		if page.Total != 5 || page.HasMore != (page.NextCursor != nil) {
			t.Fatalf("page: got %+v, want total 5, and a cursor exactly when there is more", page)
		}
		query = ""
		if page.HasMore {
			query = "?limit=2&cursor=" + url.QueryEscape(*page.NextCursor)
		}
	}
	if got, want := strings.Join(titles, " "), "4 3 2 1 0"; got != want {
		t.Errorf("titles: got %s, want %s (newest first)", got, want)
	}
	if want := []int{2, 2, 1}; !slices.Equal(sizes, want) {
		t.Errorf("counts: got %v, want %v", sizes, want)
	}
}

func TestPage_has_50_items_unless_asked_for_more_and_200_at_most(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.makeRoom()
	id := w.space(w.alice, `{}`)
	w.exec(`INSERT INTO entities (space_id, entity_id, type) SELECT '` + id + `', i, 'Simple' FROM generate_series(1, 201) i`)
	for query, want := range map[string]int{"": 50, "?limit=51": 51, "?limit=200": 200, "?limit=1000": 200} {
		page := read[pageOf](w.call(w.alice, "GET", "/v1/spaces/"+id+"/entities"+query, ""), 200)
		if page.Count != want || len(page.Entities) != want || page.Total != 201 || !page.HasMore {
			t.Errorf("%q: got count %d of %d, more %v, want %d of 201 and more", query, page.Count, page.Total, page.HasMore, want)
		}
	}
}
