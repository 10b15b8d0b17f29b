package transport

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/coder/websocket"

	"portico/model"
)

// TestWebSocketOperations has a row per kind of operation: what its messages are,
// to the last.
func TestWebSocketOperations(t *testing.T) {
	t.Parallel()
	server, _ := newServer(t, WebSocket{Present: present})
	next := func(data string) string { return `{"id":"1","type":"next","payload":{"data":` + data + `}}` }
	failure := func(errs string) string { return `{"id":"1","type":"error","payload":` + errs + `}` }
	complete := `{"id":"1","type":"complete"}`
	notFound := failure(`[{"message":"Job not found","extensions":{"code":"not_found"}}]`)
	internal := failure(internalErrors)
	for _, test := range []struct {
		name, query string
		want        []string
	}{
		{"streams a subscription", "subscription{count(to:2)}", []string{next(`{"count":1}`), next(`{"count":2}`), complete}},
		{"runs a query", "{hello}", []string{next(`{"hello":"hello"}`), complete}},
		{"runs a mutation", "mutation{set(value:1)}", []string{next(`{"set":1}`), complete}},
		{"leaves documents as they are", "{document}", []string{next(`{"document":` + document + `}`), complete}},
		{"sends errors of fields with the data", "{fails}", []string{`{"id":"1","type":"next","payload":{"errors":[{"message":"Space not found","extensions":{"code":"not_found"}}],"data":{"fails":null}}}`, complete}},
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
	t.Run("refuses an operation too many and goes on", func(t *testing.T) {
		t.Parallel()
		c := dial(t, server)
		c.initialise()
		for _, id := range []string{"1", "2"} {
			c.send(subscribe(id, "subscription{wait}"))
			c.expect(`{"id":"` + id + `","type":"next","payload":{"data":{"wait":1}}}`)
		}
		refused := `{"id":"3","type":"error","payload":[{"message":"Too many operations on this connection","extensions":{"code":"rate_limited"}}]}`
		c.send(subscribe("3", "{hello}"))
		c.expect(refused)
		c.send(`{"id":"1","type":"complete"}`)
		c.send(subscribe("3", "{hello}"))
		c.expect(`{"id":"3","type":"next","payload":{"data":{"hello":"hello"}}}`, `{"id":"3","type":"complete"}`)
	})
	t.Run("refuses to pile up operations that do not stop", func(t *testing.T) {
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
		c.expect(`{"id":"1","type":"error","payload":[{"message":"Too many operations on this connection","extensions":{"code":"rate_limited"}}]}`)
	})
}

func TestWebSocketBinary(t *testing.T) {
	t.Parallel()
	server, _ := newServer(t, WebSocket{})
	c := dial(t, server)
	if err := c.conn.Write(c.ctx, websocket.MessageBinary, []byte(initMessage)); err != nil {
		t.Fatal(err)
	}
	c.expectClose(4400, "Messages must be text")
}

func TestWebSocketLife(t *testing.T) {
	t.Parallel()
	const first = `{"id":"1","type":"next","payload":{"data":{"wait":1}}}`
	t.Run("gives Init the payload and operations its context", func(t *testing.T) {
		t.Parallel()
		got := make(chan string, 2)
		server, _ := newServer(t, WebSocket{
			Init: func(ctx context.Context, payload json.RawMessage) (context.Context, error) {
				got <- string(payload)
				return model.WithRequestID(ctx, "id"), nil
			},
			Acquire: func(ctx context.Context) (func(), error) {
				got <- model.RequestID(ctx)
				return func() {}, nil
			},
		})
		c := dial(t, server)
		c.send(`{"type":"connection_init","payload":{"key":"k"}}`)
		c.expect(ackMessage)
		if got, want := receive(t, got), `{"key":"k"}`; got != want {
			t.Errorf("payload: got %s, want %s", got, want)
		}
		if got, want := receive(t, got), "id"; got != want {
			t.Errorf("request id: got %s, want %s", got, want)
		}
	})
	t.Run("closes with 4401 when the key is revoked", func(t *testing.T) {
		t.Parallel()
		revoke := make(chan context.CancelCauseFunc, 1)
		// The context does not descend from the socket's; both end together.
		server, schema := newServer(t, WebSocket{Init: func(context.Context, json.RawMessage) (context.Context, error) {
			ctx, cancel := context.WithCancelCause(context.Background())
			revoke <- cancel
			return ctx, nil
		}})
		c := dial(t, server)
		c.initialise()
		c.send(subscribe("1", "subscription{wait}"))
		c.expect(first)
		receive(t, revoke)(&model.Error{Code: model.CodeUnauthenticated, Message: "Key revoked"})
		_, message, err := c.conn.Read(c.ctx)
		if got, want := websocket.CloseStatus(err), closeUnauthorized; got != want {
			t.Errorf("close: got %d after %q, want %d after nothing", got, message, want)
		}
		receive(t, schema.stopped)
	})
	t.Run("closes with 1001 when the server stops before Init is done", func(t *testing.T) {
		t.Parallel()
		server, stop := newStoppable(t, WebSocket{Init: waiting})
		c := dial(t, server)
		c.send(initMessage)
		c.send(`{"type":"ping"}`)
		c.expect(pong) // Init does not hold up the rest
		stop(nil)
		c.expectClose(websocket.StatusGoingAway, "Going away")
	})
	t.Run("closes with 1001 when the server stops", func(t *testing.T) {
		t.Parallel()
		server, stop := newStoppable(t, WebSocket{})
		c := dial(t, server)
		c.initialise()
		c.send(subscribe("1", "subscription{wait}"))
		c.expect(first)
		stop(nil)
		_, message, err := c.conn.Read(c.ctx)
		if got, want := websocket.CloseStatus(err), websocket.StatusGoingAway; got != want {
			t.Errorf("close: got %d after %q, want %d after nothing", got, message, want)
		}
	})
	for name, leave := range map[string]func(*websocket.Conn) error{
		"stops and releases when the client closes":   func(c *websocket.Conn) error { return c.Close(1000, "") },
		"stops and releases when the client vanishes": (*websocket.Conn).CloseNow,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			released := make(chan struct{})
			server, schema := newServer(t, WebSocket{Acquire: func(context.Context) (func(), error) {
				return func() { close(released) }, nil
			}})
			c := dial(t, server)
			c.initialise()
			c.send(subscribe("1", "subscription{wait}"))
			c.expect(first)
			if err := leave(c.conn); err != nil {
				t.Error(err)
			}
			receive(t, schema.stopped)
			receive(t, released)
		})
	}
	t.Run("pings, and ends when no answer comes", func(t *testing.T) {
		t.Parallel()
		server, schema := newServer(t, WebSocket{PingInterval: 500 * time.Millisecond})
		pings := make(chan struct{}, 100)
		c, _ := dialWith(t, server, &websocket.DialOptions{
			Subprotocols:   []string{Subprotocol},
			OnPingReceived: func(context.Context, []byte) bool { pings <- struct{}{}; return true },
		})
		c.initialise()
		c.send(subscribe("1", "subscription{wait}"))
		c.expect(first)
		// While the client reads it answers, and the socket lives.
		reading, stopReading := context.WithCancel(c.ctx)
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, _, _ = c.conn.Read(reading)
		}()
		for range 2 {
			receive(t, pings)
		}
		select {
		case err := <-schema.stopped:
			t.Errorf("the operation ended with %v while the client answered", err)
		default:
		}
		stopReading()
		<-done
		receive(t, schema.stopped)
	})
	t.Run("ends when the client answers no ping", func(t *testing.T) {
		t.Parallel()
		server, schema := newServer(t, WebSocket{PingInterval: 20 * time.Millisecond})
		c := dial(t, server)
		c.initialise()
		c.send(subscribe("1", "subscription{wait}"))
		c.expect(first) // and it reads no more
		receive(t, schema.stopped)
	})
	t.Run("ends when the client does not read", func(t *testing.T) {
		t.Parallel()
		server, schema := newServer(t, WebSocket{WriteTimeout: 50 * time.Millisecond})
		c := dial(t, server)
		c.initialise()
		for _, id := range []string{"1", "2", "3"} {
			c.send(subscribe(id, "subscription{flood}"))
		}
		for range 3 {
			receive(t, schema.stopped)
		}
	})
	t.Run("lets the request's context reach Init", func(t *testing.T) {
		t.Parallel()
		got := make(chan string, 1)
		h := newHandler(newTestSchema(), WebSocket{Init: func(ctx context.Context, _ json.RawMessage) (context.Context, error) {
			got <- model.RequestID(ctx)
			return nil, nil //nolint:nilnil // the transport falls back to the socket's context
		}})
		server := newHTTPServer(t, func(w http.ResponseWriter, r *http.Request) {
			h.ServeHTTP(w, r.WithContext(model.WithRequestID(r.Context(), "request")))
		})
		dial(t, server).initialise()
		if got, want := receive(t, got), "request"; got != want {
			t.Errorf("request id: got %s, want %s", got, want)
		}
	})
}

// TestWebSocketStress completes operations while they send, over many sockets at
// once, and uses their ids again: what comes for an id is always of its last use.
func TestWebSocketStress(t *testing.T) {
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

// TestWebSocketPipelined sends without waiting for the acknowledgement: whether
// the socket closes or not, no result comes before it.
func TestWebSocketPipelined(t *testing.T) {
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
