package replicas

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"

	"portico/internal/testkit/api"
)

// presenceTimeout is the maximum wait for a message of a stay.
const presenceTimeout = 2 * time.Minute

const (
	presenceDocument = `subscription($id: ID!, $name: String) { spacePresence(spaceId: $id, name: $name) { __typename
		... on PresenceJoined { visitorId ticket visitors { id name } }
		... on PresenceChanged { joined { id name } moved { id position yaw pitch } left }
		... on PresenceEnded { reason } } }`
	moveDocument   = `mutation($in: MoveInSpaceInput!) { moveInSpace(input: $in) { visitorId } }`
	removeDocument = `mutation($in: RemoveVisitorInput!) { removeVisitor(input: $in) { removedVisitorId } }`
)

// stay is a visitor in a space, at one of the servers.
type stay struct {
	t                 *testing.T
	conn              *websocket.Conn
	space, id, ticket string
	seen              strings.Builder
}

// join enters a space by a server.
func join(t *testing.T, at *api.Client, space, name string) *stay {
	t.Helper()
	s := &stay{t: t, conn: at.Socket(), space: space}
	t.Cleanup(func() { _ = s.conn.CloseNow() }) // most are open when the test ends
	s.send("stay", presenceDocument, map[string]any{"id": space, "name": name})
	found := regexp.MustCompile(`"visitorId":"([^"]+)","ticket":"([^"]+)"`).FindStringSubmatch(s.until("PresenceJoined"))
	if found == nil {
		t.Fatalf("joined: got %s, want an id and a ticket", s.seen.String())
	}
	s.id, s.ticket = found[1], found[2]
	return s
}

func (s *stay) send(id, document string, variables map[string]any) {
	s.t.Helper()
	check(s.t, wsjson.Write(s.t.Context(), s.conn, map[string]any{
		"id": id, "type": "subscribe", "payload": map[string]any{"query": document, "variables": variables},
	}))
}

// until reads messages until they contain the text, and returns what it read.
func (s *stay) until(text string) string {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), presenceTimeout)
	defer cancel()
	for !strings.Contains(s.seen.String(), text) {
		_, message, err := s.conn.Read(ctx)
		if err != nil {
			s.t.Fatalf("got %v after %s, want %s", err, s.seen.String(), text)
		}
		s.seen.Write(append(message, '\n'))
		if strings.Contains(string(message), `"type":"error"`) {
			s.t.Fatalf("got %s, want %s", message, text)
		}
	}
	return s.seen.String()
}

func (s *stay) move(x float64) {
	s.t.Helper()
	s.send("move", moveDocument, map[string]any{"in": map[string]any{
		"spaceId": s.space, "visitorId": s.id, "ticket": s.ticket, "position": []float64{x, 1.6, -2}, "yaw": 90,
	}})
}

// testSharedPresence has visitors of two servers meet in a space.
func testSharedPresence(t *testing.T, r replicas) {
	host := r.a.NewClient(t, "host@example.com")
	var created struct{ ID string }
	check(t, host.GraphQL(`mutation { createSpace(input: {title: "Met", privacy: PUBLIC}) { space { id } } }`, nil, &created))
	space := created.ID
	atA, atB := r.a.NewClient(t, "one@example.com"), r.b.NewClient(t, "two@example.com")
	one := join(t, atA, space, "One")
	two := join(t, atB, space, "Two")
	one.until(fmt.Sprintf(`{"id":%q,"name":"Two"}`, two.id))
	two.until(fmt.Sprintf(`{"id":%q,"name":"One"}`, one.id))
	one.move(1)
	two.until(fmt.Sprintf(`"moved":[{"id":%q,"position":[1,1.6,-2],"yaw":90`, one.id))
	two.move(7)
	one.until(fmt.Sprintf(`"moved":[{"id":%q,"position":[7,1.6,-2],"yaw":90`, two.id))

	// The owner, at the other server, removes one of them.
	check(t, r.b.Client(host).GraphQL(removeDocument, map[string]any{"in": map[string]any{"spaceId": space, "visitorId": one.id}}, nil))
	one.until(`"reason":"REMOVED"`)
	two.until(fmt.Sprintf(`"left":[%q]`, one.id))
}
