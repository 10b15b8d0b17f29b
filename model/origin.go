package model

import (
	"context"
	"sync/atomic"
)

// The doors, which are the ways into the server.
const (
	DoorPages   = "pages"
	DoorOAuth   = "oauth"
	DoorREST    = "rest"
	DoorGraphQL = "graphql"
	DoorMCP     = "mcp"
	// DoorCommand is a command of the operator, without a request.
	DoorCommand = "command"
)

// Origin is the client address and the door of a request, for the access log, the audit trail, and
// for whom the bytes of a request count in memory. No rule of access depends on it.
type Origin struct {
	// Address is the client's address: the peer, or what a trusted proxy has forwarded.
	Address string
	// UserAgent is the header User-Agent.
	UserAgent string
	// Language is the preferred language for mail, see MailLanguage.
	Language string
	Door     string

	user *atomic.Pointer[string] // shared by all copies: set by Identify
}

// WithOrigin returns a context that carries the origin.
func WithOrigin(ctx context.Context, o Origin) context.Context {
	o.user = new(atomic.Pointer[string])
	return context.WithValue(ctx, originKey, o)
}

// UserID returns the id that Identify has stored, or "" before that.
func (o Origin) UserID() string {
	if o.user == nil {
		return ""
	}
	if id := o.user.Load(); id != nil {
		return *id
	}
	return ""
}

// OriginFrom returns the origin of ctx; the zero value when there is none.
func OriginFrom(ctx context.Context) Origin {
	o, _ := ctx.Value(originKey).(Origin)
	return o
}

// Identify stores the account of the request in its origin.
func Identify(ctx context.Context, userID string) {
	if o := OriginFrom(ctx); o.user != nil {
		o.user.Store(&userID)
	}
}
