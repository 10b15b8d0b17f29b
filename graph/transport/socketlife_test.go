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

// firstWait is the first result of a subscription that then waits for its context.
const firstWait = `{"id":"1","type":"next","payload":{"data":{"wait":1}}}`

func TestWebSocketInit(t *testing.T) {
	t.Parallel()
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

func TestWebSocket_closes_with_the_code_of_the_reason(t *testing.T) {
	t.Parallel()
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
		c.expect(firstWait)
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
		c.expect(firstWait)
		stop(nil)
		_, message, err := c.conn.Read(c.ctx)
		if got, want := websocket.CloseStatus(err), websocket.StatusGoingAway; got != want {
			t.Errorf("close: got %d after %q, want %d after nothing", got, message, want)
		}
	})
}

func TestWebSocket_stops_its_operations_when_the_client_leaves(t *testing.T) {
	t.Parallel()
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
			c.expect(firstWait)
			if err := leave(c.conn); err != nil {
				t.Error(err)
			}
			receive(t, schema.stopped)
			receive(t, released)
		})
	}
	t.Run("ends when the client does not read", func(t *testing.T) {
		t.Parallel()
		server, schema := newServer(t, WebSocket{WriteTimeout: 2 * time.Second})
		c := dial(t, server)
		c.initialise()
		for _, id := range []string{"1", "2", "3"} {
			c.send(subscribe(id, "subscription{flood}"))
		}
		for range 3 {
			receive(t, schema.stopped)
		}
	})
}

func TestWebSocket_ends_when_no_ping_is_answered(t *testing.T) {
	t.Parallel()
	t.Run("pings, and ends when no answer comes", func(t *testing.T) {
		t.Parallel()
		server, schema := newServer(t, WebSocket{PingInterval: 2 * time.Second})
		pings := make(chan struct{}, 100)
		c, _ := dialWith(t, server, &websocket.DialOptions{
			Subprotocols:   []string{Subprotocol},
			OnPingReceived: func(context.Context, []byte) bool { pings <- struct{}{}; return true },
		})
		c.initialise()
		c.send(subscribe("1", "subscription{wait}"))
		c.expect(firstWait)
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
			t.Errorf("the operation ended with %v while the client responded", err)
		default:
		}
		stopReading()
		<-done
		receive(t, schema.stopped)
	})
	t.Run("ends when the client answers no ping", func(t *testing.T) {
		t.Parallel()
		server, schema := newServer(t, WebSocket{PingInterval: 2 * time.Second})
		c := dial(t, server)
		c.initialise()
		c.send(subscribe("1", "subscription{wait}"))
		c.expect(firstWait) // and it reads no more
		receive(t, schema.stopped)
	})
}
