package transport

import (
	"testing"

	"github.com/coder/websocket"
)

func TestWebSocket_sends_the_messages_of_each_kind_of_operation(t *testing.T) {
	t.Parallel()
	server, _ := newServer(t, WebSocket{Present: present})
	next := func(data string) string { return `{"id":"1","type":"next","payload":{"data":` + data + `}}` }
	failure := func(errs string) string { return `{"id":"1","type":"error","payload":` + errs + `}` }
	complete := `{"id":"1","type":"complete"}`
	notFound := failure(`[{"message":"Job not found","extensions":{"code":"NOT_FOUND"}}]`)
	internal := failure(internalErrors)
	for _, test := range []struct {
		name, query string
		want        []string
	}{
		{"streams a subscription", "subscription{count(to:2)}", []string{next(`{"count":1}`), next(`{"count":2}`), complete}},
		{"runs a query", "{hello}", []string{next(`{"hello":"hello"}`), complete}},
		{"runs a mutation", "mutation{set(value:1)}", []string{next(`{"set":1}`), complete}},
		{"leaves documents as they are", "{document}", []string{next(`{"document":` + document + `}`), complete}},
		{"sends errors of fields with the data", "{fails}", []string{`{"id":"1","type":"next","payload":{"errors":[{"message":"Space not found","extensions":{"code":"NOT_FOUND"}}],"data":{"fails":null}}}`, complete}},
		{"refuses an invalid document", "{ nope }", []string{failure(unknownField[len(`{"errors":`) : len(unknownField)-1])}},
		{"refuses a document that does not parse", "{", []string{failure(`[{"message":"Expected Name, found <EOF>","locations":[{"line":1,"column":2}],"extensions":{"code":"GRAPHQL_PARSE_FAILED"}}]`)}},
		{"refuses a subscription that does not start", "subscription{missing}", []string{notFound}},
		{"ends at a request error", "subscription{breaks}", []string{next(`{"breaks":1}`), notFound}},
		{"turns a panic into an error", "subscription{panics}", []string{internal}},
		{"turns a later panic into an error", "subscription{panicsLater}", []string{next(`{"panicsLater":1}`), internal}},
		{"completes what ends without an answer", "{ended}", []string{complete}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := dial(t, server)
			c.initialise()
			c.send(subscribe("1", test.query))
			c.expect(test.want...)
			// Nothing may follow, and the id is free.
			c.send(`{"type":"ping"}`)
			c.expect(pong)
			c.send(subscribe("1", test.query))
			c.expect(test.want...)
		})
	}
}

func TestWebSocketMessages(t *testing.T) {
	t.Parallel()
	server, schema := newServer(t, WebSocket{MaxOperations: 2})
	t.Cleanup(func() { close(schema.release) })
	t.Run("answers a ping with its payload at any time", func(t *testing.T) {
		t.Parallel()
		c := dial(t, server)
		c.send(`{"type":"ping","payload":{"n":1.10}}`)
		c.expect(`{"type":"pong","payload":{"n":1.10}}`)
		c.send(`{"type":"ping","payload":null}`)
		c.expect(pong)
		c.send(`{"type":"pong"}`)
		c.initialise()
	})
	t.Run("keeps the text of numbers", func(t *testing.T) {
		t.Parallel()
		c := dial(t, server)
		c.initialise()
		c.send(`{"id":"<a>","type":"subscribe","payload":{"query":"query($v:JSON){echo(value:$v)}","variables":{"v":12345678901234567890}}}`)
		c.expect(`{"id":"<a>","type":"next","payload":{"data":{"echo":12345678901234567890}}}`, `{"id":"<a>","type":"complete"}`)
	})
	t.Run("sends nothing after the client completes", func(t *testing.T) {
		t.Parallel()
		c := dial(t, server)
		c.initialise()
		c.send(subscribe("1", "subscription{stubborn}"))
		c.expect(`{"id":"1","type":"next","payload":{"data":{"stubborn":1}}}`)
		receive(t, schema.blocked)
		c.send(`{"id":"1","type":"complete"}`)
		c.send(`{"id":"1","type":"complete"}`) // it may have crossed ours
		c.send(subscribe("1", "{hello}"))
		c.expect(`{"id":"1","type":"next","payload":{"data":{"hello":"hello"}}}`, `{"id":"1","type":"complete"}`)
	})
}

func TestWebSocket_refuses_an_operation_too_many_and_goes_on(t *testing.T) {
	t.Parallel()
	server, schema := newServer(t, WebSocket{MaxOperations: 2})
	t.Cleanup(func() { close(schema.release) })
	c := dial(t, server)
	c.initialise()
	for _, id := range []string{"1", "2"} {
		c.send(subscribe(id, "subscription{wait}"))
		c.expect(`{"id":"` + id + `","type":"next","payload":{"data":{"wait":1}}}`)
	}
	refused := `{"id":"3","type":"error","payload":[{"message":"Too many operations on this connection","extensions":{"code":"RATE_LIMITED"}}]}`
	c.send(subscribe("3", "{hello}"))
	c.expect(refused)
	c.send(`{"id":"1","type":"complete"}`)
	c.send(subscribe("3", "{hello}"))
	c.expect(`{"id":"3","type":"next","payload":{"data":{"hello":"hello"}}}`, `{"id":"3","type":"complete"}`)
}

func TestWebSocket_refuses_to_pile_up_operations_that_do_not_stop(t *testing.T) {
	t.Parallel()
	server, schema := newServer(t, WebSocket{MaxOperations: 2})
	t.Cleanup(func() { close(schema.release) })
	c := dial(t, server)
	c.initialise()
	for range 4 {
		c.send(subscribe("1", "subscription{stubborn}"))
		c.expect(`{"id":"1","type":"next","payload":{"data":{"stubborn":1}}}`)
		receive(t, schema.blocked)
		c.send(`{"id":"1","type":"complete"}`)
	}
	c.send(subscribe("1", "{hello}"))
	c.expect(`{"id":"1","type":"error","payload":[{"message":"Too many operations on this connection","extensions":{"code":"RATE_LIMITED"}}]}`)
}

func TestWebSocket_closes_for_a_binary_message(t *testing.T) {
	t.Parallel()
	server, _ := newServer(t, WebSocket{})
	c := dial(t, server)
	if err := c.conn.Write(c.ctx, websocket.MessageBinary, []byte(initMessage)); err != nil {
		t.Fatal(err)
	}
	c.expectClose(4400, "Messages must be text")
}

// The test completes operations while they send, over many sockets at
// once, and uses their ids again: what comes for an id is always of its last use.
func TestWebSocket_sends_no_result_of_an_earlier_use_of_an_id(t *testing.T) {
	t.Parallel()
	server, _ := newServer(t, WebSocket{})
	for range 4 {
		t.Run("socket", func(t *testing.T) {
			t.Parallel()
			c := dial(t, server)
			c.initialise()
			for range 20 {
				c.send(subscribe("1", "subscription{count(to:1000)}"))
				c.expect(`{"id":"1","type":"next","payload":{"data":{"count":1}}}`)
				c.send(`{"id":"1","type":"complete"}`)
				c.send(`{"type":"ping"}`)
				c.skipTo(pong)
			}
		})
	}
}

// The test sends without waiting for the acknowledgement: whether
// the socket closes or not, no result comes before it.
func TestWebSocket_sends_no_result_before_the_acknowledgement(t *testing.T) {
	t.Parallel()
	server, _ := newServer(t, WebSocket{})
	for range 20 {
		c := dial(t, server)
		c.send(initMessage)
		_ = c.conn.Write(c.ctx, websocket.MessageText, []byte(subscribe("1", "{hello}"))) // it may be closed
		_, got, err := c.conn.Read(c.ctx)
		if err == nil && string(got) != ackMessage {
			t.Fatalf("first message: got %s, want %s", got, ackMessage)
		}
		if err != nil && websocket.CloseStatus(err) != closeUnauthorized {
			t.Fatalf("close: got %v, want %d", err, closeUnauthorized)
		}
		_ = c.conn.CloseNow() // one socket at a time
	}
}
