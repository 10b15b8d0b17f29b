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
	// DoorCommand is an operator's command, which no request came with.
	DoorCommand = "command"
)

// Origin is where a request comes from, for the access log and the audit trail. It
// decides nothing.
type Origin struct {
	// Address is the client's. Where a trusted proxy names another, it is that one.
	Address string
	Door    string

	user *atomic.Pointer[string] // what Identify was told
}

// WithOrigin returns a context that carries the origin, and what tells the caller
// later for whom the request turned out to speak.
func WithOrigin(ctx context.Context, o Origin) (_ context.Context, userID func() string) {
	o.user = new(atomic.Pointer[string])
	return context.WithValue(ctx, originKey, o), func() string {
		if id := o.user.Load(); id != nil {
			return *id
		}
		return ""
	}
}

// OriginFrom returns the origin of ctx; the zero value when there is none.
func OriginFrom(ctx context.Context) Origin {
	o, _ := ctx.Value(originKey).(Origin)
	return o
}

// Identify notes the account for which the request of ctx speaks.
func Identify(ctx context.Context, userID string) {
	if o := OriginFrom(ctx); o.user != nil {
		o.user.Store(&userID)
	}
}
