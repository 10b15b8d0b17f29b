package graph_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"portico/model"
)

const watchSpaceDocument = `subscription($id: ID!) { space(id: $id) { __typename
	... on SpaceSnapshot { space { title owner { name email } entities { nodes { entityId readUrl } } } }
	... on EntityChanged { entity { data } } ... on SpaceDeleted { deletedSpaceId } ... on AccessLost { lostSpaceId } } }`

// watcher receives the messages of one subscription.
type watcher interface {
	until(t *testing.T, text string)
}

// watchers opens a subscription of a visitor over each transport.
var watchers = map[string]func(t *testing.T, w *world, document, id string) watcher{
	"SSE": func(t *testing.T, w *world, document, id string) watcher {
		return w.events(t, w.eventsRequest(t, account{}, request(document, map[string]any{"id": id})))
	},
	"WebSocket": func(t *testing.T, w *world, document, id string) watcher {
		s := w.connect(t, http.Header{})
		s.subscribe(t, "1", document, id)
		return s
	},
}

// connect opens a socket without a key.
func (w *world) connect(t *testing.T, header http.Header) *socket {
	t.Helper()
	s := w.dial(t, header)
	s.send(t, `{"type":"connection_init"}`)
	s.until(t, `"type":"connection_ack"`)
	return s
}

func (s *socket) subscribe(t *testing.T, operation, document, id string) {
	t.Helper()
	s.send(t, `{"id":"`+operation+`","type":"subscribe","payload":`+request(document, map[string]any{"id": id})+`}`)
}

// TestWatch_without_a_key follows what everybody may see, up to the loss of access.
func TestWatch_without_a_key(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for transport, watch := range watchers {
		for _, privacy := range []model.Privacy{model.Public, model.LinkOnly} {
			t.Run(fmt.Sprint(privacy, " over ", transport), func(t *testing.T) {
				t.Parallel()
				file := w.file(w.alice, "a.glb")
				space := w.open(w.alice, privacy)
				_, err := w.put(model.CreateEntity{SpaceID: space.ID, EntityID: ptr("chair"), ResourceKey: &file.ResourceKey})
				check(t, err)
				events := watch(t, w, watchSpaceDocument, space.NodeID())
				events.until(t, `"owner":{"name":"alice","email":null},"entities":{"nodes":[{"entityId":"chair","readUrl":"`+w.FileURL(file)+`"}]}`)
				_, err = w.merge(space, "chair", `{"a":1}`)
				check(t, err)
				events.until(t, `"__typename":"EntityChanged"`)
				check(t, w.set(space, model.Private, false))
				events.until(t, `{"space":{"__typename":"AccessLost","lostSpaceId":"`+space.NodeID()+`"}}`)
				events.until(t, "complete")
			})
		}
		for name, test := range map[string]struct {
			document string
			id       func() string
			code     string
		}{
			"a Private space":      {watchSpaceDocument, func() string { return w.open(w.alice, model.Private).ID }, "UNAUTHENTICATED"},
			"an unknown space":     {watchSpaceDocument, func() string { return w.alice.id + "_unknown" }, "NOT_FOUND"},
			"an id with a NUL":     {watchSpaceDocument, func() string { return "\x00" }, "NOT_FOUND"},
			"a job":                {watchJob, func() string { return w.job(w.alice).ID }, "UNAUTHENTICATED"},
			"notifications":        {`subscription($id: String) { notifications(after: $id) { position } }`, func() string { return "" }, "UNAUTHENTICATED"},
			"16 KiB of a variable": {watchSpaceDocument, func() string { return strings.Repeat("x", 16<<10) }, "TOO_LARGE"},
		} {
			t.Run("refuses "+name+" over "+transport, func(t *testing.T) {
				t.Parallel()
				watch(t, w, test.document, test.id()).until(t, `"code":"`+test.code+`"`)
			})
		}
	}
}

// TestAnonymous_socket_goes_on checks that a refusal ends only one operation, that a socket without
// a key reads nothing private, and that a key in connection_init has priority.
func TestAnonymous_socket_goes_on(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.open(w.alice, model.Public)
	s := w.connect(t, http.Header{})
	s.subscribe(t, "1", watchJob, "x")
	s.until(t, "UNAUTHENTICATED")
	s.send(t, `{"id":"2","type":"subscribe","payload":{"query":"{ viewer { id } }"}}`)
	s.until(t, "UNAUTHENTICATED")
	s.subscribe(t, "3", watchSpaceDocument, space.ID)
	s.until(t, "SpaceSnapshot")
	keyed := w.dial(t, http.Header{})
	keyed.send(t, `{"type":"connection_init","payload":{"Authorization":"Bearer `+w.bob.key+`"}}`)
	keyed.until(t, "connection_ack")
	keyed.send(t, `{"id":"1","type":"subscribe","payload":{"query":"{ viewer { email } }"}}`)
	keyed.until(t, "bob@example.com")
}

// next returns the next message.
func (s *socket) next(t *testing.T) string {
	t.Helper()
	_, message, err := s.Read(s.ctx)
	check(t, err)
	return string(message)
}
