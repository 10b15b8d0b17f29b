package transport

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/coder/websocket"

	"portico/model"
)

// The defaults of WebSocket. Proxies close a connection after 30 s or more without data, so pings
// are more frequent. The message size is HTTP's body size, so that an operation can use either.
const (
	defaultInitTimeout   = 10 * time.Second
	defaultPingInterval  = 25 * time.Second
	defaultMaxMessage    = 1 << 20
	defaultMaxOperations = 100
)

// WebSocket runs operations of every kind over one connection, by the protocol
// graphql-transport-ws of "graphql-ws", including its close codes. The zero value is
// ready and accepts every client. Messages are not compressed.
type WebSocket struct {
	// Init authenticates a client. It gets the payload of connection_init, nil without
	// one, and returns the parent context of all operations of the socket. A model.Error
	// closes the socket: unauthenticated with 4401, forbidden with 4403, invalid with
	// 4400, rate_limited with 1013. Any other error closes it with 4500 and no text, so
	// Init logs it before it returns.
	//
	// When the returned context is canceled the socket closes: with 4401 if
	// context.Cause is an unauthenticated model.Error, as for a revoked key, and with
	// 1001 otherwise. Nil accepts every client.
	Init func(ctx context.Context, payload json.RawMessage) (context.Context, error)

	// Acquire limits the sockets of a caller. It is called after Init, with the context
	// that Init returned. Its error closes the socket like an error of Init. Nil means
	// no limit.
	Acquire AcquireFunc

	// CheckOrigin reports whether the page that sends the request may connect; otherwise the
	// response is 403. CORS does not apply to sockets, so CheckOrigin must refuse other sites if
	// Init accepts a cookie. Nil accepts requests without an Origin, and from the server's own
	// host.
	CheckOrigin func(r *http.Request) bool

	// Present renders an error of the transport itself, as in HTTP.
	Present graphql.ErrorPresenterFunc

	// Logger logs a panic of Present. Nil logs none.
	Logger *slog.Logger

	// InitTimeout is how long the socket waits for connection_init. Then it closes with 4408.
	// Zero means 10 s.
	InitTimeout time.Duration

	// PingInterval is the interval of the pings of RFC 6455, which clients answer automatically. A
	// socket whose client has not answered before the next ping is closed. Zero means 25 s.
	PingInterval time.Duration

	// WriteTimeout is how long a message waits for a client that does not read. Then the socket
	// ends. Zero means 10 s.
	WriteTimeout time.Duration

	// Backlog limits the memory of messages to clients that do not read, together with the other
	// transports that share it. With nil only WriteTimeout limits it.
	Backlog *Backlog

	// MaxMessage is the maximum size of a client's message in bytes. A larger message closes the
	// socket with 1009. Zero means 1 MiB.
	MaxMessage int64

	// MaxOperations is the maximum number of active operations of one socket. More operations are
	// refused with an error message with the code rate_limited, and the socket stays open. Zero
	// means 100.
	MaxOperations int
}

// Supports implements graphql.Transport. It supports every request for a WebSocket, even with an
// invalid handshake, which Do refuses.
func (WebSocket) Supports(r *http.Request) bool {
	return strings.Contains(strings.ToLower(r.Header.Get("Upgrade")), "websocket")
}

// Do implements graphql.Transport. It returns when the socket is closed and all of its
// operations have ended.
func (t WebSocket) Do(w http.ResponseWriter, r *http.Request, exec graphql.GraphExecutor) {
	t = t.withDefaults()
	if !t.CheckOrigin(r) {
		forbidden := refuse(http.StatusForbidden, model.Forbidden("This origin may not connect"))
		responder{w: w, r: r, media: mediaJSON, presenter: presenter{t.Present, t.Logger}}.refuse(forbidden)
		return
	}
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{
		Subprotocols:       []string{Subprotocol},
		InsecureSkipVerify: true, // CheckOrigin has checked the origin
	})
	if err != nil {
		return // Accept has responded in plain text
	}
	// The names of subprotocols are case-sensitive, but Accept ignores case.
	if conn.Subprotocol() != Subprotocol {
		_ = conn.Close(closeSubprotocol, "Subprotocol not acceptable") // closed either way
		return
	}
	conn.SetReadLimit(t.MaxMessage)
	newSocket(t, conn, r, exec).serve()
}

// withDefaults sets the fields that are zero.
func (t WebSocket) withDefaults() WebSocket {
	if t.Init == nil {
		t.Init = func(ctx context.Context, _ json.RawMessage) (context.Context, error) { return ctx, nil }
	}
	if t.Acquire == nil {
		t.Acquire = func(context.Context) (func(), error) { return func() {}, nil }
	}
	if t.CheckOrigin == nil {
		t.CheckOrigin = sameOrigin
	}
	t.InitTimeout = cmp.Or(t.InitTimeout, defaultInitTimeout)
	t.PingInterval = cmp.Or(t.PingInterval, defaultPingInterval)
	t.WriteTimeout = cmp.Or(t.WriteTimeout, defaultWriteTimeout)
	t.MaxMessage = cmp.Or(t.MaxMessage, defaultMaxMessage)
	t.MaxOperations = cmp.Or(t.MaxOperations, defaultMaxOperations)
	return t
}

// sameOrigin accepts programs, which send no Origin, and our own pages.
func sameOrigin(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && strings.EqualFold(u.Host, r.Host)
}
