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
// process, whatever its sockets and streams. Each keeps its parsed document until it ends,
// up to 60 KB for a KiB of text, so it counts once for each documentUnit.
const (
	maxSubscriptions = 200
	documentUnit     = 1 << 10 // bytes
)

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
	release, err := l.acquire(ctx, 1+len(op.RawQuery)/documentUnit)
	if err != nil {
		return gqlerror.Wrap(err)
	}
	context.AfterFunc(ctx, release)
	return nil
}

// acquire counts n more subscriptions of the address, or none.
func (l subscriptionLimit) acquire(ctx context.Context, n int) (release func(), err error) {
	var acquired []func()
	release = func() {
		for _, one := range acquired {
			one()
		}
	}
	for range n {
		one, err := l.open.acquire(ctx)
		if err != nil {
			release()
			return nil, err
		}
		acquired = append(acquired, one)
	}
	return release, nil
}
