package door

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"portico/graph/batch"
)

// batches lets fields be read for all rows of a page at once (package batch).
type batches struct{}

var _ interface {
	graphql.HandlerExtension
	graphql.OperationContextMutator
	graphql.ResponseInterceptor
} = batches{}

// ExtensionName implements graphql.HandlerExtension.
func (batches) ExtensionName() string { return "Batches" }

// Validate implements graphql.HandlerExtension.
func (batches) Validate(graphql.ExecutableSchema) error { return nil }

// MutateOperationContext implements graphql.OperationContextMutator. It wraps the middleware of the
// operation once, which is cheaper than a graphql.FieldInterceptor for each of thousands of fields.
func (batches) MutateOperationContext(_ context.Context, op *graphql.OperationContext) *gqlerror.Error {
	resolve := op.ResolverMiddleware
	op.ResolverMiddleware = func(ctx context.Context, next graphql.Resolver) (any, error) {
		value, err := resolve(ctx, next)
		if err == nil {
			batch.Record(ctx, value)
		}
		return value, err
	}
	return nil
}

// InterceptResponse implements graphql.ResponseInterceptor.
func (batches) InterceptResponse(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
	return next(batch.With(ctx))
}
