package graph_test

import (
	"net/http"
	"testing"

	"portico/model"
)

// reader is a client's end of a subscription, over any transport.
type reader interface {
	until(t *testing.T, text string)
}

// overBoth runs a test over server-sent events and over a WebSocket, each in another world.
func overBoth(t *testing.T, name string, test func(t *testing.T, w *world, subscribe func(who account, operation string) reader)) {
	t.Helper()
	t.Run(name+" over SSE", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		test(t, w, func(who account, operation string) reader {
			return w.events(t, w.eventsRequest(t, who, operation))
		})
	})
	t.Run(name+" over WebSocket", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		test(t, w, func(who account, operation string) reader {
			s := w.dial(t, http.Header{"Authorization": {"Bearer " + who.key}})
			s.send(t, `{"type":"connection_init"}`)
			s.until(t, `"type":"connection_ack"`)
			s.send(t, `{"id":"1","type":"subscribe","payload":`+operation+`}`)
			return s
		})
	})
}

const watchSpaceQuery = `subscription($id: ID!) { space(id: $id) { __typename
	... on SpaceSnapshot { space { title entities { totalCount } } }
	... on EntityCreated { space { entities { totalCount } } entity { data } }
	... on EntityDeleted { deletedEntityId entityId }
	... on SpaceDeleted { deletedSpaceId }
	... on AccessLost { lostSpaceId } } }`

func TestSubscriptions_send_each_change_over_both_transports(t *testing.T) {
	t.Parallel()
	overBoth(t, "jobs", func(t *testing.T, w *world, subscribe func(account, string) reader) {
		job := w.job(w.alice)
		events := subscribe(w.alice, request(`subscription { jobs { id status } }`, nil))
		events.until(t, `{"jobs":{"id":"`+job.NodeID()+`","status":"QUEUED"}}`)
		next := w.job(w.alice)
		events.until(t, `{"jobs":{"id":"`+next.NodeID()+`","status":"QUEUED"}}`)
		w.finish(job)
		events.until(t, `{"jobs":{"id":"`+job.NodeID()+`","status":"COMPLETED"}}`)
	})
	overBoth(t, "space", func(t *testing.T, w *world, subscribe func(account, string) reader) {
		space := w.space(w.alice, model.SpaceHub)
		check(t, w.set(space, model.Public, false))
		events := subscribe(w.bob, request(watchSpaceQuery, map[string]any{"id": space.ID}))
		events.until(t, `{"space":{"__typename":"SpaceSnapshot","space":{"title":"Untitled space","entities":{"totalCount":7}}}}`)
		_, err := w.put(model.CreateEntity{SpaceID: space.ID, EntityID: ptr("chair"), Data: model.Object(`{"n":1.10}`)})
		check(t, err)
		events.until(t, `{"space":{"__typename":"EntityCreated","space":{"entities":{"totalCount":8}},"entity":{"data":{"n": 1.10}}}}`)
		_, err = w.Mutation().DeleteEntity(w.alice.ctx, space.ID, "chair")
		check(t, err)
		events.until(t, `{"space":{"__typename":"EntityDeleted","deletedEntityId":"`+model.NodeID(model.NodeEntity, space.ID+"/chair")+`","entityId":"chair"}}`)
		_, err = w.Mutation().DeleteSpace(w.alice.ctx, space.ID)
		check(t, err)
		events.until(t, `{"space":{"__typename":"SpaceDeleted","deletedSpaceId":"`+space.NodeID()+`"}}`)
		events.until(t, `complete`)
	})
	overBoth(t, "space whose owner closes it", func(t *testing.T, w *world, subscribe func(account, string) reader) {
		space := w.open(w.alice, model.Public)
		events := subscribe(w.bob, request(watchSpaceQuery, map[string]any{"id": space.ID}))
		events.until(t, `SpaceSnapshot`)
		check(t, w.set(space, model.Private, false))
		events.until(t, `{"space":{"__typename":"AccessLost","lostSpaceId":"`+space.NodeID()+`"}}`)
		events.until(t, `complete`)
	})
	overBoth(t, "space of another", func(t *testing.T, w *world, subscribe func(account, string) reader) {
		space := w.space(w.alice, model.SpaceInfinite)
		subscribe(w.bob, request(watchSpaceQuery, map[string]any{"id": space.ID})).until(t, `"code":"FORBIDDEN"`)
	})
	overBoth(t, "notifications", func(t *testing.T, w *world, subscribe func(account, string) reader) {
		w.follow(w.bob, w.alice)
		// The events before prove that the subscription has started.
		before := w.published()
		start := model.Position{Transaction: "0"}.String()
		const query = `subscription($after: String) { notifications(after: $after) { type space { id } } }`
		events := subscribe(w.bob, request(query, map[string]any{"after": start}))
		events.until(t, `{"notifications":{"type":"SPACE_PUBLISHED","space":{"id":"`+model.NodeID(model.NodeSpace, before)+`"}}}`)
		events.until(t, `{"notifications":{"type":"SPACE_PUBLISHED","space":{"id":"`+model.NodeID(model.NodeSpace, w.published())+`"}}}`)
	})
}

// TestInformFollowers_over_the_wire checks the name of the input field.
func TestInformFollowers_over_the_wire(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const follow = `mutation($id: ID!) { followUser(input: {userId: $id}) { user { followed } } }`
	equal(t, "follow", w.query(w.bob, follow, map[string]any{"id": w.alice.id}), `{"followUser":{"user":{"followed":true}}}`)
	space := w.space(w.alice, model.SpaceInfinite)
	const publish = `mutation($in: UpdateSpacePrivacyInput!) { updateSpacePrivacy(input: $in) { space { privacy } } }`
	in := map[string]any{"spaceId": space.ID, "privacy": "PUBLIC", "informFollowers": true}
	equal(t, "publish", w.query(w.alice, publish, map[string]any{"in": in}), `{"updateSpacePrivacy":{"space":{"privacy":"PUBLIC"}}}`)
	const list = `{ notifications { nodes { type space { id } } } }`
	want := `{"notifications":{"nodes":[{"type":"SPACE_PUBLISHED","space":{"id":"` + space.NodeID() + `"}}]}}`
	equal(t, "notifications", w.query(w.bob, list, nil), want)
	file := w.file(w.alice, "a.glb")
	const remove = `mutation($key: ID!) { deleteFile(input: {fileId: $key}) { deletedFileId } }`
	got := w.query(w.alice, remove, map[string]any{"key": file.ResourceKey})
	equal(t, "deleted", got, `{"deleteFile":{"deletedFileId":"`+file.NodeID()+`"}}`)
}
