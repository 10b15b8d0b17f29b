package transport

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"
)

// A message of another type closes the socket: TestWebSocket_closes.
func TestParseMessage_reads_each_type_of_graphql_ws(t *testing.T) {
	t.Parallel()
	payload := json.RawMessage(`{"a": 1.10}`)
	for _, test := range []struct {
		text string
		want message
	}{
		{`{"type":"connection_init"}`, message{kind: typeInit}},
		{`{"type":"connection_init","payload":null}`, message{kind: typeInit}},
		{`{"type":"connection_init","payload":{"a": 1.10}}`, message{kind: typeInit, payload: payload}},
		{`{"type":"ping"}`, message{kind: typePing}},
		{`{"type":"ping","payload":{"a": 1.10}}`, message{kind: typePing, payload: payload}},
		{`{"type":"pong","payload": {"a": 1.10} }`, message{kind: typePong, payload: payload}},
		{`{"id":"1","type":"subscribe","payload":{"a": 1.10}}`, message{kind: typeSubscribe, id: "1", payload: payload}},
		{`{"id":"1","type":"complete"}`, message{kind: typeComplete, id: "1"}},
		{`{"id":"1","type":"complete","payload":1,"more":2}`, message{kind: typeComplete, id: "1", payload: json.RawMessage("1")}},
	} {
		t.Run(test.text, func(t *testing.T) {
			t.Parallel()
			got, err := parseMessage(websocket.MessageText, []byte(test.text))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(message{})); diff != "" {
				t.Errorf("message differs (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMessage_encodes_its_payload_unchanged(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		message message
		want    string
	}{
		{message{kind: typeAck}, `{"type":"connection_ack"}`},
		{message{kind: typePong, payload: json.RawMessage(`{"a": 1.10}`)}, `{"type":"pong","payload":{"a": 1.10}}`},
		{message{kind: typeComplete, id: "<\"é\n>"}, `{"id":"<\"é\n>","type":"complete"}`},
	} {
		got, err := test.message.encode()
		if err != nil || string(got) != test.want {
			t.Errorf("got %s and %v, want %s", got, err, test.want)
		}
	}
}

func FuzzParseMessage(f *testing.F) {
	f.Add(`{"id":"1","type":"subscribe","payload":{"query":"{a}"}}`)
	f.Add(`{"type":"ping","payload":null}`)
	f.Add(strings.Repeat("[", 100))
	f.Fuzz(func(t *testing.T, text string) {
		m, err := parseMessage(websocket.MessageText, []byte(text))
		if err != nil {
			return
		}
		encoded, err := m.encode()
		if err != nil {
			t.Fatal(err)
		}
		again, err := parseMessage(websocket.MessageText, encoded)
		if diff := cmp.Diff(m, again, cmp.AllowUnexported(message{})); err != nil || diff != "" {
			t.Errorf("a message that was taken is not taken again: %v\n%s", err, diff)
		}
	})
}
