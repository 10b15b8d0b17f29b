package graph_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"portico/model"
)

const (
	presenceDocument = `subscription($id: ID!, $name: String) { spacePresence(spaceId: $id, name: $name) { __typename
		... on PresenceJoined { visitorId ticket visitors { id name isOwner position yaw pitch } }
		... on PresenceChanged { joined { id name isOwner } moved { id position yaw pitch } left }
		... on PresenceEnded { reason message } } }`
	moveDocument = `mutation($in: MoveInSpaceInput!) { moveInSpace(input: $in) { visitorId } }`
)

// guest is a visitor over a socket.
type guest struct {
	*socket
	id, ticket, space string
}

// enterBySocket joins a space over a socket of its own.
func (w *world) enterBySocket(t *testing.T, who account, space *model.Space, name string) guest {
	t.Helper()
	s := w.dial(t, http.Header{})
	s.send(t, `{"type":"connection_init"}`)
	if who.key != "" {
		s = w.dial(t, http.Header{})
		s.send(t, initWith(who.key))
	}
	s.until(t, `connection_ack`)
	s.send(t, `{"id":"p","type":"subscribe","payload":`+request(presenceDocument, map[string]any{"id": space.NodeID(), "name": name})+`}`)
	message := s.find(t, `PresenceJoined`)
	found := regexp.MustCompile(`"visitorId":"([^"]+)","ticket":"([^"]+)"`).FindStringSubmatch(message)
	if found == nil {
		t.Fatalf("joined: got %s, want an id and a ticket", message)
	}
	return guest{s, found[1], found[2], space.NodeID()}
}

// find reads messages up to one that has the text, and returns it.
func (s *socket) find(t *testing.T, text string) string {
	t.Helper()
	for {
		if message := s.next(t); strings.Contains(message, text) {
			return message
		}
	}
}

// move sends a move with these fields, as the operation with this id.
func (g guest) move(t *testing.T, operation string, change map[string]any) {
	t.Helper()
	in := map[string]any{"spaceId": g.space, "visitorId": g.id, "ticket": g.ticket, "position": []float64{1, 1.6, -2}}
	for name, value := range change {
		in[name] = value
	}
	g.send(t, `{"id":"`+operation+`","type":"subscribe","payload":`+request(moveDocument, map[string]any{"in": in})+`}`)
}

func TestSpacePresence_over_sockets(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.open(w.alice, model.Public)
	owner := w.enterBySocket(t, w.alice, space, "Alice")
	guests := []guest{w.enterBySocket(t, account{}, space, "One"), w.enterBySocket(t, account{}, space, "Two")}
	owner.until(t, `"name":"Two","isOwner":false`)
	guests[0].move(t, "m", map[string]any{"yaw": 12.4, "pitch": -3.6, "position": []float64{1.234567, 1.6, -2}})
	guests[0].until(t, `"moveInSpace":{"visitorId":"`+guests[0].id+`"}`)
	want := `"moved":[{"id":"` + guests[0].id + `","position":[1.23,1.6,-2],"yaw":12,"pitch":-4}]`
	for _, g := range []guest{owner, guests[1]} {
		g.until(t, want)
	}
	// A ticket is known to its own visitor only.
	guests[0].move(t, "n", map[string]any{"position": []float64{5, 0, 0}})
	if message := guests[1].find(t, `"position":[5,0,0]`); strings.Contains(message, "ticket") || strings.Contains(message, guests[0].ticket) {
		t.Errorf("changes: got %s, want no ticket", message)
	}
	check(t, guests[0].Close(websocket.StatusNormalClosure, ""))
	owner.until(t, `"left":["`+guests[0].id+`"]`)
}

// TestMoveInSpace_is_refused has a row for each attack on a visitor.
func TestMoveInSpace_is_refused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.open(w.alice, model.Public)
	victim, mallory := w.enterBySocket(t, account{}, space, "Victim"), w.enterBySocket(t, account{}, space, "Mallory")
	for i, test := range []struct {
		name, code string
		change     map[string]any
	}{
		{"a visitor with another's ticket", "FORBIDDEN", map[string]any{"visitorId": victim.id}},
		{"a ticket that is guessed", "FORBIDDEN", map[string]any{"ticket": strings.Repeat("A", len(mallory.ticket))}},
		{"an unknown space", "FORBIDDEN", map[string]any{"spaceId": w.alice.id + "_unknown"}},
		{"two numbers", "INVALID", map[string]any{"position": []float64{1, 2}}},
		{"a huge number", "INVALID", map[string]any{"position": []float64{1e308, 0, 0}}},
		{"more than a number holds", "INVALID", map[string]any{"position": json.RawMessage(`[1e999, 0, 0]`)}},
		{"a text", "INVALID", map[string]any{"position": []string{"NaN", "0", "0"}}},
		{"a look behind oneself", "INVALID", map[string]any{"pitch": 180}},
	} {
		operation := fmt.Sprint("attack", i)
		mallory.move(t, operation, test.change)
		if message := mallory.find(t, `"id":"`+operation+`"`); !strings.Contains(message, `"code":"`+test.code+`"`) {
			t.Errorf("%s: got %s, want %s", test.name, message, test.code)
		}
	}
	mallory.send(t, `{"id":"q","type":"subscribe","payload":`+request(presenceDocument, map[string]any{"id": space.ID, "name": strings.Repeat("x", 10_000)})+`}`)
	if message := mallory.find(t, `"id":"q"`); !strings.Contains(message, `"code":"INVALID"`) {
		t.Errorf("huge name: got %s, want it refused", message)
	}
	mallory.move(t, "last", nil)
	if message := victim.find(t, `"moved":[{`); strings.Contains(message, victim.id) || !strings.Contains(message, mallory.id) {
		t.Errorf("moves: got %s, want the visitor's own", message)
	}
}

// Moves have their own limit. Moves over it are refused, and not sent to others.
func TestMoveInSpace_is_limited(t *testing.T) {
	t.Parallel()
	w := limited(t)
	space := w.open(w.alice, model.Public)
	g := w.enterBySocket(t, w.bob, space, "Bob")
	const flood = 500 // more than all other operations of a minute
	refusals := 0
	for i := range flood {
		operation := fmt.Sprint("m", i)
		g.move(t, operation, map[string]any{"yaw": i % 360})
		if strings.Contains(g.find(t, `"id":"`+operation+`"`), `"code":"RATE_LIMITED"`) {
			refusals++
		}
	}
	if refusals == 0 {
		t.Errorf("of %d moves at once: got none refused, want most", flood)
	}
	g.send(t, `{"id":"v","type":"subscribe","payload":`+request(`{ viewer { email } }`, nil)+`}`)
	g.until(t, `bob@example.com`)
}

// The stay of a visitor ends with the key.
func TestSpacePresence_ends_with_the_key(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.open(w.alice, model.Public)
	owner, bob := w.enterBySocket(t, w.alice, space, ""), w.enterBySocket(t, w.bob, space, "Bob")
	owner.until(t, `"name":"Bob"`)
	w.query(w.bob, `mutation { revokeApiKey { revoked } }`, nil)
	owner.until(t, `"left":["`+bob.id+`"]`)
	bob.closed(t, 4401)
}
