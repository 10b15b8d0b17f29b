package graph

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"portico/model"
)

// visitorID returns the id by which visits from an address are counted. It is a keyed hash
// that changes at midnight UTC, so the database has no address, and nobody can compare the
// ids of two days or find the address of an id.
func visitorID(secret []byte, address string, now time.Time) string {
	hash := hmac.New(sha256.New, secret)
	hash.Write([]byte("visitor " + now.UTC().Format(time.DateOnly) + " " + address)) // never fails
	return "visitor-" + base64.RawURLEncoding.EncodeToString(hash.Sum(nil)[:16])
}

// maxSubscriptions is how many subscriptions an address may hold without a key in one
// process, whatever its sockets and streams. Each costs memory until it ends.
const maxSubscriptions = 100

// subscriptionLimit refuses subscriptions without a key over maxSubscriptions.
type subscriptionLimit struct{ open *connectionLimit }

var _ interface {
	graphql.HandlerExtension
	graphql.OperationContextMutator
} = subscriptionLimit{}

// ExtensionName implements graphql.HandlerExtension.
func (subscriptionLimit) ExtensionName() string { return "SubscriptionLimit" }

// Validate implements graphql.HandlerExtension.
func (subscriptionLimit) Validate(graphql.ExecutableSchema) error { return nil }

// MutateOperationContext implements graphql.OperationContextMutator. The transports end ctx
// with the operation, also with one that is refused later.
func (l subscriptionLimit) MutateOperationContext(ctx context.Context, op *graphql.OperationContext) *gqlerror.Error {
	if op.Operation.Operation != ast.Subscription || model.CallerFrom(ctx) != nil {
		return nil
	}
	release, err := l.open.acquire(ctx)
	if err != nil {
		return gqlerror.Wrap(err)
	}
	context.AfterFunc(ctx, release)
	return nil
}
