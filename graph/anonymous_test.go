package graph_test

import (
	"fmt"
	"strings"
	"testing"

	"portico/model"
)

// TestRead_without_a_key reads what everybody may see, and nothing else.
func TestRead_without_a_key(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for privacy, visible := range map[model.Privacy]bool{model.Public: true, model.LinkOnly: true, model.Private: false} {
		space := w.open(w.alice, privacy)
		_, err := w.put(model.CreateEntity{SpaceID: space.ID, EntityID: ptr("chair")})
		check(t, err)
		query := fmt.Sprintf(`{ space(id: "%s") { owner { name email followed } entities { nodes { entityId space { spaceId } } } }
			entity(spaceId: "%[1]s", entityId: "chair") { entityId } node(id: "%s") { id } }`, space.ID, space.NodeID())
		_, response := w.ask(account{}, request(query, nil))
		want := fmt.Sprintf(`{"data":{"space":{"owner":{"name":"alice","email":null,"followed":false},"entities":{"nodes":[{"entityId":"chair","space":{"spaceId":"%s"}}]}},`+
			`"entity":{"entityId":"chair"},"node":{"id":"%s"}}}`, space.ID, space.NodeID())
		if visible {
			equal(t, string(privacy), response, want)
		} else if !strings.Contains(response, `"data":{"space":null,"entity":null,"node":null}`) || !strings.Contains(response, "UNAUTHENTICATED") {
			t.Errorf("%s: got %s, want refusals", privacy, response)
		}
	}
	equal(t, "public spaces", w.query(account{}, `{ publicSpaces { totalCount } }`, nil), `{"publicSpaces":{"totalCount":1}}`)
	user := w.query(account{}, `{ user(id: "`+w.alice.id+`") { name plan spaces { totalCount } } }`, nil)
	equal(t, "user", user, `{"user":{"name":"alice","plan":null,"spaces":{"totalCount":1}}}`)
	for _, query := range []string{`{ viewer { id } }`, `{ spaces { totalCount } }`, `{ files { totalCount } }`, `mutation { createSpace(input: {}) { space { id } } }`} {
		if code, _ := w.refused(account{}, request(query, nil)); code != "UNAUTHENTICATED" {
			t.Errorf("%s: got %s, want UNAUTHENTICATED", query, code)
		}
	}
}

// Reading a space counts no visit.
func TestRecordVisit_counts_a_visit_once_per_viewer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.open(w.alice, model.Public)
	read := func() string {
		return w.query(w.bob, `{ space(id: "`+space.ID+`") { visitCount } }`, nil)
	}
	record := func(who account) string {
		return w.query(who, `mutation { recordVisit(input: {spaceId: "`+space.NodeID()+`"}) { space { visitCount } } }`, nil)
	}
	equal(t, "reading", read(), `{"space":{"visitCount":0}}`)
	for range 2 {
		equal(t, "visit", record(w.bob), `{"recordVisit":{"space":{"visitCount":1}}}`)
	}
	equal(t, "visit of the owner", record(w.alice), `{"recordVisit":{"space":{"visitCount":1}}}`)
	equal(t, "reading again", read(), `{"space":{"visitCount":1}}`)
}
