package limits

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// The maximum number of subscriptions of an account, and of an address without a key, in one
// process. The limit of connections is not enough: 50 sockets with 100 operations each are 5,000
// subscriptions. A subscription keeps its parsed document until it ends, up to 60 KB for each KiB
// of text, so it counts once for each DocumentUnit.
const (
	MaxAccountSubscriptions = 1000
	MaxAddressSubscriptions = 200
	DocumentUnit            = 1 << 10 // bytes
)

// SubscriptionLimit refuses the subscriptions over these limits.
type SubscriptionLimit struct{ open *ConnectionLimit }

// NewSubscriptionLimit returns a limit of the subscriptions of each account and each address.
func NewSubscriptionLimit(holder Holder) SubscriptionLimit {
	open := NewConnectionLimit("subscriptions", MaxAddressSubscriptions, holder)
	open.Accounts.Share = MaxAccountSubscriptions
	return SubscriptionLimit{open}
}

var _ interface {
	graphql.HandlerExtension
	graphql.OperationContextMutator
} = SubscriptionLimit{}

// ExtensionName implements graphql.HandlerExtension.
func (SubscriptionLimit) ExtensionName() string { return "SubscriptionLimit" }

// Validate implements graphql.HandlerExtension.
func (SubscriptionLimit) Validate(graphql.ExecutableSchema) error { return nil }

// MutateOperationContext implements graphql.OperationContextMutator. The transports end ctx with
// the operation, even if the operation is refused later.
//
// The release follows ctx, because gqlgen does not notify extensions when a subscription ends.
func (l SubscriptionLimit) MutateOperationContext(ctx context.Context, op *graphql.OperationContext) *gqlerror.Error {
	if op.Operation.Operation != ast.Subscription {
		return nil
	}
	release, err := l.acquire(ctx, 1+len(op.RawQuery)/DocumentUnit)
	if err != nil {
		return gqlerror.Wrap(err)
	}
	context.AfterFunc(ctx, release)
	return nil
}

// Acquire counts n more subscriptions of the account or the address. On an error it counts none.
func (l SubscriptionLimit) acquire(ctx context.Context, n int) (release func(), err error) {
	var acquired []func()
	release = func() {
		for _, releaseSlot := range acquired {
			releaseSlot()
		}
	}
	for range n {
		one, err := l.open.Acquire(ctx)
		if err != nil {
			release()
			return nil, err
		}
		acquired = append(acquired, one)
	}
	return release, nil
}
