package model

import "context"

// Caller is the authenticated account of a request. Package auth makes it from the API
// key, for every door.
type Caller struct {
	// UserID is the account that the key belongs to.
	UserID string
	// KeyID is the id of the key, empty for a session. Subscriptions end when this key is
	// revoked.
	KeyID string
	// Session is the hash of the session's token, empty for a key. Some changes of an account
	// need a session: a key is given to programs, which must not take the account over.
	Session string
	// Connected reports whether the caller was authenticated for a connection, not for a
	// single operation: each operation then checks the key again.
	Connected bool
	// Check returns CodeUnauthenticated if the caller's session has ended. It is nil for a
	// caller with a key.
	Check func(ctx context.Context) error
	// Watch returns a context that ends within a second of the session's end, with the
	// error of Check as its cause, and a function that stops watching. It is nil for a
	// caller with a key.
	Watch func(ctx context.Context) (context.Context, context.CancelFunc)
}

type contextKey int

const (
	callerKey contextKey = iota
	requestIDKey
	originKey
	visitorKey
	lockTokenKey
)

// WithCaller returns a context that carries the caller, and identifies the request.
func WithCaller(ctx context.Context, c *Caller) context.Context {
	Identify(ctx, c.UserID)
	return context.WithValue(ctx, callerKey, c)
}

// CallerFrom returns the caller of ctx, or nil when nobody is signed in.
func CallerFrom(ctx context.Context) *Caller {
	c, _ := ctx.Value(callerKey).(*Caller)
	return c
}

// WithVisitor returns a context with the id by which the visits of a request without a
// caller are counted. It is no account's id.
func WithVisitor(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, visitorKey, id)
}

// VisitorFrom returns the id that WithVisitor set, or "".
func VisitorFrom(ctx context.Context) string {
	id, _ := ctx.Value(visitorKey).(string)
	return id
}

// WithRequestID returns a context with the id that all log lines of a request have.
func WithRequestID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestIDKey, id)
}

// RequestID returns the id that WithRequestID set, or "".
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey).(string)
	return id
}
