package graph_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"portico/db"
	"portico/model"
)

// The server remembers a valid key for a moment, and forgets it when one is revoked.
func TestOperations_are_refused_to_a_revoked_key(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.space(w.alice, model.SpaceInfinite)
	w.create(space, "lamp")
	own, lamp := fmt.Sprintf("%q", space.ID), fmt.Sprintf(`spaceId: %q, entityId: "lamp"`, space.ID)
	known := fmt.Sprintf(`{ space(id: %s) { id } }`, own)
	for _, query := range []string{
		known,
		`{ space(id: "none") { id } }`,
		fmt.Sprintf(`{ entity(%s) { type } }`, lamp),
		fmt.Sprintf(`{ entity(spaceId: %s, entityId: "none") { type } }`, own),
		fmt.Sprintf(`{ a: entity(%s) { type } b: entity(%s) { type } }`, lamp, lamp),
		fmt.Sprintf(`{ ... { entity(%s) { type } } }`, lamp),
		fmt.Sprintf(`mutation { createEntity(input: {spaceId: %s, entityId: "stolen"}) { entity { type } } }`, own),
		fmt.Sprintf(`mutation { updateEntity(input: {%s, data: {stolen: true}}) { entity { type } } }`, lamp),
		fmt.Sprintf(`mutation { deleteEntity(input: {%s}) { deletedEntityId } }`, lamp),
		`{ viewer { email } }`, `{ __typename }`, `{ none }`, `{`, ``,
		fmt.Sprintf(`mutation { updateSpace(input: {spaceId: %s, title: "stolen"}) { space { id } } }`, own),
	} {
		w.setRevoked("NULL")
		w.query(w.alice, known, nil) // from now on the key is known
		w.setRevoked("now()")
		for _, attempt := range []string{"first", "second"} {
			status, response := w.ask(w.alice, request(query, nil))
			if status != http.StatusUnauthorized || !strings.HasPrefix(response, `{"errors":[{"message":"Invalid or expired API key"`) {
				t.Errorf("%s, %s time: got %d %s, want 401", query, attempt, status, response)
			}
		}
	}
	w.setRevoked("NULL")
	after := w.query(w.alice, fmt.Sprintf(`{ space(id: %s) { title entities { totalCount nodes { data } } } }`, own), nil)
	equal(t, "space", after, `{"space":{"title":"`+space.Title+`","entities":{"totalCount":1,"nodes":[{"data":{}}]}}}`)
}

// setRevoked sets the time at which all keys were revoked, and announces it as a process that
// revokes does.
func (w *world) setRevoked(at string) {
	w.t.Helper()
	w.exec("UPDATE api_keys SET revoked_at = " + at)
	w.db.Announce(db.TopicRevoked)
}
