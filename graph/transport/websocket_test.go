package transport

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"portico/model"
)

const (
	initMessage = `{"type":"connection_init"}`
	ackMessage  = `{"type":"connection_ack"}`
	pong        = `{"type":"pong"}`
)

func subscribe(id, query string) string {
	return `{"id":"` + id + `","type":"subscribe","payload":{"query":"` + query + `"}}`
}

// TestWebSocket_closes has a row per reason of "graphql-ws" to close a socket. A
// sent message "init" means connection_init and the wait for its response.
func TestWebSocket_closes(t *testing.T) {
	t.Parallel()
	unauthorized := &model.Error{Code: model.CodeUnauthenticated, Message: "No key"}
	limited := &model.Error{Code: model.CodeRateLimited, Message: "Too many sockets"}
	long := "x" + strings.Repeat("ä", 100)
	wait := subscribe("1", "subscription{wait}")
	for _, test := range []struct {
		name      string
		transport WebSocket
		send      []string
		code      websocket.StatusCode
		reason    string
	}{
		{"4400 for invalid JSON", WebSocket{}, []string{"hello"}, 4400, "The message is not valid JSON"},
		{"4400 for JSON that is not an object", WebSocket{}, []string{"[]"}, 4400, "The message must be a JSON object"},
		{"4400 for null", WebSocket{}, []string{"null"}, 4400, "The message must be a JSON object"},
		{"4400 for another encoding", WebSocket{}, []string{"{\"type\":\"\xff\"}"}, 4400, "The message must be valid UTF-8"},
		{"4400 without a type", WebSocket{}, []string{"{}"}, 4400, "The message must have a type"},
		{"4400 for a type of another type", WebSocket{}, []string{`{"type":1}`}, 4400, "The message must have a type"},
		{"4400 for an unknown type", WebSocket{}, []string{"init", `{"type":"start"}`}, 4400, "Unexpected message of type start"},
		{"4400 for a long type", WebSocket{}, []string{`{"type":"` + long + `"}`}, 4400, "Unexpected message of type " + long[:95]},
		{"4400 for a message of the server", WebSocket{}, []string{"init", `{"id":"1","type":"next","payload":{}}`}, 4400, "Unexpected message of type next"},
		{"4400 for a payload of another type", WebSocket{}, []string{`{"type":"connection_init","payload":"key"}`}, 4400, "The payload of connection_init must be an object"},
		{"4400 for a ping with another type", WebSocket{}, []string{`{"type":"ping","payload":1}`}, 4400, "The payload of ping must be an object"},
		{"4400 for subscribe without an id", WebSocket{}, []string{"init", `{"type":"subscribe","payload":{"query":"{hello}"}}`}, 4400, "subscribe must have an id"},
		{"4400 for an empty id", WebSocket{}, []string{"init", subscribe("", "{hello}")}, 4400, "subscribe must have an id"},
		{"4400 for an id of another type", WebSocket{}, []string{"init", `{"id":1,"type":"complete"}`}, 4400, "complete must have an id"},
		{"4400 for subscribe without a payload", WebSocket{}, []string{"init", `{"id":"1","type":"subscribe"}`}, 4400, "The payload of subscribe must be an object"},
		{"4400 for subscribe without a query", WebSocket{}, []string{"init", `{"id":"1","type":"subscribe","payload":{}}`}, 4400, "query must be a string"},
		{"4400 for variables of another type", WebSocket{}, []string{"init", `{"id":"1","type":"subscribe","payload":{"query":"{hello}","variables":[]}}`}, 4400, "variables must be an object"},
		{"4400 from Init", WebSocket{Init: failing(model.Invalidf("Bad payload"))}, []string{initMessage}, 4400, "Bad payload"},
		{"4401 for subscribe before init", WebSocket{}, []string{subscribe("1", "{hello}")}, 4401, "Unauthorized"},
		{"4401 for subscribe before ack", WebSocket{Init: waiting}, []string{initMessage, subscribe("1", "{hello}")}, 4401, "Unauthorized"},
		{"4401 from Init", WebSocket{Init: failing(unauthorized)}, []string{initMessage}, 4401, "Unauthorized"},
		{"4403 from Init", WebSocket{Init: failing(model.Forbidden("Not you"))}, []string{initMessage}, 4403, "Forbidden"},
		{"4408 without init", WebSocket{InitTimeout: time.Millisecond}, nil, 4408, "Connection initialisation timeout"},
		{"4409 for an id in use", WebSocket{}, []string{"init", wait, wait}, 4409, "Subscriber for 1 already exists"},
		{"4429 for a second init", WebSocket{}, []string{"init", initMessage}, 4429, "Too many initialisation requests"},
		{"4429 for a second init before ack", WebSocket{Init: waiting}, []string{initMessage, initMessage}, 4429, "Too many initialisation requests"},
		{"4500 when Init fails", WebSocket{Init: failing(errors.New("database"))}, []string{initMessage}, 4500, "Internal server error"},
		{"4500 when Init panics", WebSocket{Init: panicking}, []string{initMessage}, 4500, "Internal server error"},
		{"1009 for a large message", WebSocket{MaxMessage: 100}, []string{"init", strings.Repeat("x", 1<<18)}, 1009, "read limited at 101 bytes"},
		{"1013 over the limit of sockets", WebSocket{Acquire: refusing(limited)}, []string{initMessage}, 1013, "Too many sockets"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			server, _ := newServer(t, test.transport)
			c := dial(t, server)
			for _, text := range test.send {
				if text == "init" {
					c.initialise()
					continue
				}
				c.send(text)
			}
			c.expectClose(test.code, test.reason)
		})
	}
}

func failing(err error) func(context.Context, json.RawMessage) (context.Context, error) {
	return func(context.Context, json.RawMessage) (context.Context, error) { return nil, err }
}

func waiting(ctx context.Context, _ json.RawMessage) (context.Context, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func panicking(context.Context, json.RawMessage) (context.Context, error) { panic("a bug") }

func refusing(err error) AcquireFunc {
	return func(context.Context) (func(), error) { return nil, err }
}

// TestWebSocketHandshake has a row per way not to get a socket, or to get one.
func TestWebSocketHandshake(t *testing.T) {
	t.Parallel()
	never := func(*http.Request) bool { return false }
	for _, test := range []struct {
		name      string
		transport WebSocket
		protocol  string
		origin    string
		status    int
		code      websocket.StatusCode
	}{
		{"takes a program", WebSocket{}, Subprotocol, "", 101, 0},
		{"takes a page of our own", WebSocket{}, Subprotocol, "self", 101, 0},
		{"refuses a page of another site", WebSocket{}, Subprotocol, "https://example.com", 403, 0},
		{"refuses an invalid origin", WebSocket{}, Subprotocol, "http://%zz", 403, 0},
		{"asks the owner about origins", WebSocket{CheckOrigin: never}, Subprotocol, "self", 403, 0},
		{"closes the old protocol with 4406", WebSocket{}, "graphql-ws", "", 101, 4406},
		{"closes no protocol with 4406", WebSocket{}, "", "", 101, 4406},
		{"closes a name in other letters with 4406", WebSocket{}, "GraphQL-Transport-WS", "", 101, 4406},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			server, _ := newServer(t, test.transport)
			options := &websocket.DialOptions{HTTPHeader: http.Header{}}
			if test.protocol != "" {
				options.Subprotocols = []string{test.protocol}
			}
			if test.origin != "" {
				options.HTTPHeader.Set("Origin", strings.Replace(test.origin, "self", server.URL, 1))
			}
			c, response := dialWith(t, server, options)
			if got, want := response.StatusCode, test.status; got != want {
				t.Fatalf("status: got %d, want %d", got, want)
			}
			if test.code != 0 {
				c.expectClose(test.code, "Subprotocol not acceptable")
			} else if test.status == 101 {
				c.initialise()
			}
		})
	}
	t.Run("leaves a broken handshake to be answered", func(t *testing.T) {
		t.Parallel()
		server, _ := newServer(t, WebSocket{})
		request := newRequest(t, http.MethodGet, server.URL, "")
		request.Header.Set("Upgrade", "websocket")
		if response, _ := do(t, server, request); response.StatusCode != http.StatusUpgradeRequired {
			t.Errorf("status: got %d, want 426", response.StatusCode)
		}
	})
}

// client is a WebSocket client that fails the test when it waits too long.
type client struct {
	t    *testing.T
	ctx  context.Context
	conn *websocket.Conn
}

func dial(t *testing.T, server *httptest.Server) *client {
	t.Helper()
	c, _ := dialWith(t, server, &websocket.DialOptions{Subprotocols: []string{Subprotocol}})
	if c == nil {
		t.Fatal("got no socket")
	}
	return c
}

func dialWith(t *testing.T, server *httptest.Server, options *websocket.DialOptions) (*client, *http.Response) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	t.Cleanup(cancel)
	options.HTTPClient = server.Client()
	conn, response, err := websocket.Dial(ctx, server.URL, options)
	if response == nil {
		t.Fatal(err)
	}
	if err != nil {
		return nil, response
	}
	conn.SetReadLimit(1 << 24)
	t.Cleanup(func() { _ = conn.CloseNow() })
	return &client{t, ctx, conn}, response
}

func (c *client) initialise() {
	c.t.Helper()
	c.send(initMessage)
	c.expect(ackMessage)
}

func (c *client) send(text string) {
	c.t.Helper()
	if err := c.conn.Write(c.ctx, websocket.MessageText, []byte(text)); err != nil {
		c.t.Fatalf("send %.100s: %v", text, err)
	}
}

func (c *client) expect(want ...string) {
	c.t.Helper()
	for _, want := range want {
		_, got, err := c.conn.Read(c.ctx)
		if err != nil || string(got) != want {
			c.t.Fatalf("message: got %.1000s and %v, want %s", got, err, want)
		}
	}
}

// skipTo reads until a message comes.
func (c *client) skipTo(want string) {
	c.t.Helper()
	for {
		_, got, err := c.conn.Read(c.ctx)
		if err != nil {
			c.t.Fatalf("got %v, want %s", err, want)
		}
		if string(got) == want {
			return
		}
	}
}

// expectClose reads to the end and passes over what was sent before.
func (c *client) expectClose(code websocket.StatusCode, reason string) {
	c.t.Helper()
	for {
		_, _, err := c.conn.Read(c.ctx)
		if err == nil {
			continue
		}
		got, _ := errors.AsType[websocket.CloseError](err)
		if want := (websocket.CloseError{Code: code, Reason: reason}); got != want {
			c.t.Fatalf("close: got %v (%v), want %v", got, err, want)
		}
		return
	}
}
