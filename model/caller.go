package model

import "context"

// Caller is who a request speaks for. Package auth makes it from the API key,
// once, for every door.
type Caller struct {
	// UserID is the account that the key belongs to.
	UserID string
	// KeyID names the key, never the key itself, and is empty for a session; a
	// subscription ends when the key with this id is revoked.
	KeyID string
	// Connected says that the caller was found for a connection and not for the one
	// operation: each operation checks the key again.
	Connected bool
	// Check returns CodeUnauthenticated when the session that the caller was found by
	// has ended. It is nil for a caller who was found by a key.
	Check func(ctx context.Context) error
	// Watch returns a context that ends within a second of the session's end, with
	// the error of Check as its cause, and a function that stops watching. It is nil
	// for a caller who was found by a key.
	Watch func(ctx context.Context) (context.Context, context.CancelFunc)
}

type contextKey int

const (
	callerKey contextKey = iota
	requestIDKey
	originKey
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

// WithRequestID returns a context that carries the id which ties the log lines
// of one request together.
func WithRequestID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestIDKey, id)
}

// RequestID returns the id that WithRequestID set, or "".
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey).(string)
	return id
}
