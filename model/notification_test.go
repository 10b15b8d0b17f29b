package model

import (
	"encoding/base64"
	"testing"
)

func TestParsePosition_reads_what_a_notification_gives_out(t *testing.T) {
	t.Parallel()
	for _, n := range []*Notification{
		{Transaction: "1", Sequence: 1},
		{Transaction: "18446744073709551615", Sequence: 1<<63 - 1},
	} {
		got, err := ParsePosition(n.Position())
		check(t, err)
		if want := n.At(); got != want {
			t.Errorf("position: got %v, want %v", got, want)
		}
	}
}

func TestParsePosition_refuses_anything_else(t *testing.T) {
	t.Parallel()
	const refusal = "after is not a position of this server"
	encode := base64.RawURLEncoding.EncodeToString
	for name, text := range map[string]string{
		"nothing":                  "",
		"no base64":                "???",
		"a cursor of a list":       Cursor(7),
		"no sequence":              encode([]byte("behind:7")),
		"a sequence below 0":       encode([]byte("behind:7:-1")),
		"a text for a sequence":    encode([]byte("behind:7:x")),
		"a text for a transaction": encode([]byte("behind:x:7")),
		"a transaction below 0":    encode([]byte("behind:-7:7")),
		"more than 64 bits":        encode([]byte("behind:18446744073709551616:7")),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := ParsePosition(text)
			checkInvalid(t, err, refusal)
		})
	}
}

func TestNotificationEdges_have_their_own_cursors(t *testing.T) {
	t.Parallel()
	connection := NotificationConnection{Nodes: []*Notification{{ID: "a", Sequence: 2}, {ID: "b", Sequence: 1}}}
	for i, edge := range connection.Edges() {
		if edge.Node != connection.Nodes[i] || edge.Cursor != Cursor(edge.Node.Sequence) {
			t.Errorf("edge %d: got %v at %s, want %v at its cursor", i, edge.Node, edge.Cursor, connection.Nodes[i])
		}
	}
}
