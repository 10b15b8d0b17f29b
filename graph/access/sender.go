package access

import "context"

// senderKey is the key of the address of a sender in a context.
type senderKey struct{}

// WithSender returns the context of a request without a key or session, with the address that it
// counts for.
func WithSender(ctx context.Context, address string) context.Context {
	return context.WithValue(ctx, senderKey{}, address)
}

// Sender returns the address of a request without a key or session; empty for others.
func Sender(ctx context.Context) string {
	address, _ := ctx.Value(senderKey{}).(string)
	return address
}

// Subject returns the account or the address of a request; empty for neither.
func Subject(ctx context.Context) string {
	if id := ViewerID(ctx); id != "" {
		return "user:" + id
	}
	return Sender(ctx)
}
