package graph_test

import (
	"testing"

	"portico/model"
)

// TestSubscriptions_shared_by_callers follows a space from two accounts with one document,
// in which a field depends on the caller's rights.
func TestSubscriptions_shared_by_callers(t *testing.T) {
	t.Parallel()
	const document = `subscription($id: ID!) { space(id: $id) { __typename
		... on EntityCreated { entity { id entityId data } space { url privacy } } } }`
	overBoth(t, "two accounts", func(t *testing.T, w *world, subscribe func(account, string) reader) {
		space := w.open(w.alice, model.Public)
		operation := request(document, map[string]any{"id": space.ID})
		readers := []reader{subscribe(w.alice, operation), subscribe(w.bob, operation), subscribe(w.alice, operation)}
		for _, r := range readers {
			r.until(t, `SpaceSnapshot`)
		}
		w.create(space, "chair")
		for _, r := range readers {
			r.until(t, `{"space":{"__typename":"EntityCreated","entity":{"id":"`+model.NodeID(model.NodeEntity, space.ID+"/chair")+`","entityId":"chair","data":{}},`+
				`"space":{"url":"`+webURL+`/`+space.ID+`","privacy":"PUBLIC"}}}`)
		}
		check(t, w.set(space, model.Private, false))
		readers[1].until(t, `AccessLost`)
		readers[1].until(t, `complete`)
		w.create(space, "table")
		readers[0].until(t, `"entityId":"table"`)
		readers[2].until(t, `"entityId":"table"`)
	})
}
