package rest

import (
	"strings"
	"testing"
)

// dated makes a space at a time that tests know.
func (w *world) dated(who account, body string) string {
	w.t.Helper()
	id := w.space(who, body)
	w.exec("UPDATE spaces SET created_at = '2026-01-27T09:30:00Z', changed_at = '2026-01-27T09:30:01.5Z', visit_count = 7 WHERE id = '" + id + "'")
	return id
}

const spaceTimes = `'createdDate':'2026-01-27T09:30:00.000Z','changeDate':'2026-01-27T09:30:01.500Z'`

func TestSpaces_lists_the_callers_spaces(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.call(w.alice, "GET", "/v1/spaces", "").want(200,
		`{'status':'ok','data':{'spaces':[],'count':0,'total':0,'nextCursor':null,'hasMore':false}}`)
	id := w.dated(w.alice, `{'title':'<A & B>','description':'D','space_type':'hub','privacy':'Open'}`)
	w.space(w.bob, `{}`)
	w.call(w.alice, "GET", "/v1/spaces", "").want(200, `{'status':'ok','data':{'spaces':[`+
		`{'id':'`+id+`','title':'<A & B>','description':'D','licence':'','space_type':'hub','privacy':'Open','space_url':'`+webURL+`/`+id+
		`','visitCount':7,`+spaceTimes+`}],'count':1,'total':1,'nextCursor':null,'hasMore':false}}`)
}

func TestSpaces_searches_titles_and_descriptions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.space(w.alice, `{'title':'Red house'}`)
	w.space(w.alice, `{'title':'Garden','description':'100% red roses'}`)
	w.space(w.alice, `{'title':'Blue'}`)
	for query, want := range map[string]int{"": 3, "?search=": 3, "?search=RED": 2, "?search=100%25": 1, "?search=_": 0, "?search=red&limit=1": 1} {
		if got := read[pageOf](w.call(w.alice, "GET", "/v1/spaces"+query, ""), 200).Count; got != want {
			t.Errorf("%q: got %d, want %d", query, got, want)
		}
	}
	w.call(w.alice, "GET", "/v1/spaces?search=%00", "").refused(400, "search must not contain a NUL character")
	w.call(w.alice, "GET", "/v1/spaces?search=%FF", "").refused(400, "search must be valid UTF-8")
}

func TestSpace_is_the_item_of_the_list(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.dated(w.alice, `{'title':'A'}`)
	// In alphabetical order, because the fields that clients keep are among them.
	w.call(w.alice, "GET", "/v1/spaces/"+id, "").want(200, `{'status':'ok','data':{'changeDate':'2026-01-27T09:30:01.500Z','createdDate':'2026-01-27T09:30:00.000Z',`+
		`'data':{},'description':'','id':'`+id+
		`','licence':'','privacy':'Closed','space_type':'infinite','space_url':'`+webURL+`/`+id+`','title':'A','visitCount':7}}`)
}

func TestUpdateSpace_merges(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.makeRoom() // for a hub for each row
	for _, c := range []struct {
		name, body string
		want       map[string]string // parts of the response's data, raw; ID is the id of the space
	}{
		{"the title", `{'title':'B'}`, map[string]string{"title": "'B'", "description": "'D'", "privacy": "'Open'"}},
		{"the description", `{'description':''}`, map[string]string{"title": "'A'", "description": "''"}},
		{"the privacy", `{'privacy':'Closed'}`, map[string]string{"title": "'A'", "privacy": "'Closed'"}},
		{"the privacy in the words of the specification", `{'privacy':'Link Only'}`, map[string]string{"privacy": "'Link Only'"}},
		{"the privacy by its other name", `{'roomPrivacy':'Private'}`, map[string]string{"privacy": "'Closed'"}},
		{"nothing", `{}`, map[string]string{"title": "'A'", "privacy": "'Open'", "color": "'red'"}},
		{"nothing at all", ``, map[string]string{"title": "'A'", "color": "'red'"}},
		{"null, which is nothing", `{'title':null,'privacy':null}`, map[string]string{"title": "'A'", "privacy": "'Open'"}},
		{"unknown fields, which are kept", `{'size':{'r':12345678901234567890},'tags':['<a>']}`,
			map[string]string{"size": `{'r':12345678901234567890}`, "tags": `['<a>']`, "color": "'red'"}},
		{"null in an unknown field, which is a value", `{'tags':null}`, map[string]string{"color": "'red'", "tags": "null"}},
		{"what is the server's, which is ignored",
			`{'id':'x','spaceId':'x','owner':'x','ownerId':'x','userId':'x','space_type':'infinite','space_url':'x','visitCount':9,'createdDate':'x','changeDate':'x'}`,
			map[string]string{"id": "'ID'", "space_type": "'hub'", "visitCount": "0", "space_url": "'" + webURL + "/ID'",
				"owner": "", "ownerId": "", "userId": "", "spaceId": ""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			id := w.space(w.alice, `{'title':'A','description':'D','space_type':'hub','privacy':'Open'}`)
			path := "/v1/spaces/" + id
			w.call(w.alice, "PUT", path, `{"color":"red","tags":["a"]}`).status2xx()
			updated := read[rawFields](w.call(w.alice, "PUT", path, quotes(c.body)), 200)
			stored := read[rawFields](w.call(w.alice, "GET", path, ""), 200)
			for name, want := range c.want {
				want = strings.ReplaceAll(quotes(want), "ID", id)
				if got := string(updated[name]); got != want {
					t.Errorf("updated %s: got %s, want %s", name, got, want)
				}
				if got := string(stored[name]); got != want {
					t.Errorf("stored %s: got %s, want %s", name, got, want)
				}
			}
		})
	}
}

func TestUpdateSpace_takes_back_what_was_read(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.space(w.alice, `{'title':'A'}`)
	path := "/v1/spaces/" + id
	first := read[rawFields](w.call(w.alice, "PUT", path, `{"color":"red"}`), 200)
	sent := w.call(w.alice, "GET", path, "").body
	sent = strings.TrimSuffix(strings.TrimPrefix(sent, `{"status":"ok","data":`), "}")
	second := read[rawFields](w.call(w.alice, "PUT", path, sent), 200)
	delete(first, "changeDate")
	delete(second, "changeDate")
	if len(first) != len(second) {
		t.Errorf("fields: got %d, want %d as before", len(second), len(first))
	}
	for name, want := range first {
		if got, want := string(second[name]), string(want); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

func TestSpace_is_its_owners(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.space(w.alice, `{'privacy':'Open'}`)
	for _, method := range []string{"GET", "PUT", "DELETE"} {
		if method != "GET" { // an open space can be visited
			w.call(w.bob, method, "/v1/spaces/"+id, "").refused(403, "You are not authorized to access this space")
		}
		w.call(w.bob, method, "/v1/spaces/"+w.space(w.alice, `{}`), "").refused(403, "You are not authorized to access this space")
		w.call(w.bob, method, "/v1/spaces/none", "").refused(404, "Space not found")
	}
	w.call(w.alice, "PUT", "/v1/spaces/"+id, `{"privacy":"public"}`).refused(400, "Invalid privacy option")
	his := w.space(w.bob, `{}`)
	w.call(w.bob, "PUT", "/v1/spaces/"+his, `{"privacy":"Link Only"}`).refused(400,
		"You need to be a Pro user to set a space to Link Only")
}

func TestDeleteSpace_is_permanent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	path := "/v1/spaces/" + w.space(w.alice, `{}`)
	w.call(w.alice, "DELETE", path, "").want(200, `{'status':'ok','data':{'message':'Space deleted'}}`)
	for _, method := range []string{"DELETE", "GET", "PUT"} {
		w.call(w.alice, method, path, "").refused(404, "Space not found")
	}
	w.call(w.alice, "GET", path+"/entities", "").refused(404, "Space not found")
}

// Clients and monitors send HEAD to learn whether a space is there. Nobody sees the space.
func TestSpace_counts_no_visit_for_HEAD(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.space(w.alice, `{'privacy':'Open'}`)
	visitsAfter := func(method string) int {
		w.call(w.bob, method, "/v1/spaces/"+id, "").status2xx()
		return read[struct{ VisitCount int }](w.call(w.alice, "GET", "/v1/spaces/"+id, ""), 200).VisitCount
	}
	if got, want := visitsAfter("HEAD"), 0; got != want {
		t.Errorf("visits after HEAD: got %d, want %d", got, want)
	}
	if got, want := visitsAfter("GET"), 1; got != want {
		t.Errorf("visits after GET: got %d, want %d", got, want)
	}
	if got, want := w.call(w.bob, "HEAD", "/v1/spaces/none", "").status, 404; got != want {
		t.Errorf("HEAD of no space: got status %d, want %d", got, want)
	}
}
