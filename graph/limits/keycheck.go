package limits

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"portico/model"
)

// KeyCheck refuses operations of a caller whose key or session has ended since the handler found the
// caller for the request: each operation of a socket, and the second and later fields of a mutation,
// which may follow revokeApiKey.
type KeyCheck struct{}

var _ interface {
	graphql.HandlerExtension
	graphql.OperationContextMutator
	graphql.RootFieldInterceptor
} = KeyCheck{}

// ExtensionName implements graphql.HandlerExtension.
func (KeyCheck) ExtensionName() string { return "KeyCheck" }

// Validate implements graphql.HandlerExtension.
func (KeyCheck) Validate(graphql.ExecutableSchema) error { return nil }

// MutateOperationContext implements graphql.OperationContextMutator.
func (KeyCheck) MutateOperationContext(ctx context.Context, _ *graphql.OperationContext) *gqlerror.Error {
	if c := model.CallerFrom(ctx); c != nil && c.Connected {
		if err := c.Check(ctx); err != nil {
			return gqlerror.Wrap(err)
		}
	}
	return nil
}

// InterceptRootField implements graphql.RootFieldInterceptor.
//
// The fields of a mutation run one after the other (GraphQL specification section 6.2.2), so the
// second may follow revokeApiKey. The fields of a query run at the same time, and are one
// operation.
func (KeyCheck) InterceptRootField(ctx context.Context, next graphql.RootResolver) graphql.Marshaler {
	c, root := model.CallerFrom(ctx), graphql.GetRootFieldContext(ctx)
	if c == nil || !isLaterMutation(graphql.GetOperationContext(ctx), root) {
		return next(ctx)
	}
	if err := c.Check(ctx); err != nil {
		// The presenter takes the path from the field.
		graphql.AddError(graphql.WithFieldContext(ctx, &graphql.FieldContext{
			Object: root.Object, Field: root.Field, Args: map[string]any{},
		}), err)
		return graphql.Null
	}
	return next(ctx)
}

// isLaterMutation reports whether the field is a field of a mutation, but not the first.
func isLaterMutation(op *graphql.OperationContext, root *graphql.RootFieldContext) bool {
	if op.Operation.Operation != ast.Mutation {
		return false
	}
	if selections := op.Operation.SelectionSet; len(selections) == 1 {
		if _, isField := selections[0].(*ast.Field); isField { // there is no later one
			return false
		}
	}
	first := graphql.CollectFields(op, op.Operation.SelectionSet, []string{root.Object})[0]
	return root.Field.Alias != first.Alias
}
