package transport

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/coder/websocket"

	"portico/model"
)

const (
	defaultInitTimeout   = 10 * time.Second
	defaultPingInterval  = 25 * time.Second
	defaultMaxMessage    = 1 << 20
	defaultMaxOperations = 100
)

// WebSocket runs operations of every kind over one connection, as the protocol
// graphql-transport-ws of "graphql-ws" asks, its close codes included. The zero
// value is ready and lets everybody in. Messages are not compressed.
type WebSocket struct {
	// Init decides who connects. It gets the payload of connection_init, nil
	// without one, and returns the context that all operations of the socket
	// descend from. A model.Error closes the socket: unauthenticated with 4401,
	// forbidden with 4403, invalid with 4400, rate_limited with 1013; every
	// other error with 4500 and no text, so Init logs it before it returns.
	//
	// When the returned context is cancelled the socket closes: with 4401 where
	// context.Cause is an unauthenticated model.Error, as for a key that was
	// revoked, and with 1001 otherwise. Nil lets everybody in.
	Init func(ctx context.Context, payload json.RawMessage) (context.Context, error)

	// Acquire limits the sockets of a caller; it is called after Init with the
	// context that Init returned. Its error closes the socket like one of Init.
	// Nil means no limit.
	Acquire AcquireFunc

	// CheckOrigin decides which sites may connect with a browser; false answers
	// 403. A socket is not bound by CORS, so wherever Init accepts a cookie this
	// is what keeps other sites out. Nil takes requests without an Origin and
	// those from the server's own host.
	CheckOrigin func(r *http.Request) bool

	// Present renders an error of the transport itself, as in HTTP.
	Present graphql.ErrorPresenterFunc

	// InitTimeout is how long connection_init may take to come; then the socket
	// closes with 4408. Zero means 10 s.
	InitTimeout time.Duration

	// PingInterval is the time between pings of RFC 6455, which every client
	// answers by itself; a socket that has not answered one by the time of the
	// next is closed. Zero means 25 s.
	PingInterval time.Duration

	// WriteTimeout is how long one message may wait for a client that does not
	// read; then the socket ends. Zero means 10 s.
	WriteTimeout time.Duration

	// Backlog bounds what clients that do not read keep in memory, of this and
	// whatever else shares it. Nil means that only WriteTimeout does.
	Backlog *Backlog

	// MaxMessage is how many bytes a message of the client may have; a larger
	// one closes the socket with 1009. Zero means 1 MiB.
	MaxMessage int64

	// MaxOperations is how many operations may be active on one socket. One more
	// is refused with an error message, code rate_limited, and the socket goes
	// on. Zero means 100.
	MaxOperations int
}

// Supports implements graphql.Transport. It takes what asks for a WebSocket, also
// when the rest of the handshake is wrong, so that it is told so.
func (WebSocket) Supports(r *http.Request) bool {
	return strings.Contains(strings.ToLower(r.Header.Get("Upgrade")), "websocket")
}

// Do implements graphql.Transport. It returns when the socket is closed and all
// that ran on it has ended.
func (t WebSocket) Do(w http.ResponseWriter, r *http.Request, exec graphql.GraphExecutor) {
	t = t.withDefaults()
	if !t.CheckOrigin(r) {
		forbidden := refuse(http.StatusForbidden, model.Forbidden("This origin may not connect"))
		answer{w: w, r: r, media: mediaJSON, presenter: presenter(t.Present)}.refuse(forbidden)
		return
	}
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{
		Subprotocols:       []string{Subprotocol},
		InsecureSkipVerify: true, // CheckOrigin has decided
	})
	if err != nil {
		return // Accept has answered, in plain text: no client of GraphQL is there yet
	}
	// The names of subprotocols are case-sensitive, Accept does not mind.
	if conn.Subprotocol() != Subprotocol {
		_ = conn.Close(closeSubprotocol, "Subprotocol not acceptable") // closed either way
		return
	}
	conn.SetReadLimit(t.MaxMessage)
	newSocket(t, conn, r, exec).serve()
}

// withDefaults fills in what was left zero.
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
	t.InitTimeout = orDefault(t.InitTimeout, defaultInitTimeout)
	t.PingInterval = orDefault(t.PingInterval, defaultPingInterval)
	t.WriteTimeout = orDefault(t.WriteTimeout, defaultWriteTimeout)
	t.MaxMessage = orDefault(t.MaxMessage, defaultMaxMessage)
	t.MaxOperations = orDefault(t.MaxOperations, defaultMaxOperations)
	return t
}

// sameOrigin lets programs in, which send no Origin, and our own pages.
func sameOrigin(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && strings.EqualFold(u.Host, r.Host)
}
