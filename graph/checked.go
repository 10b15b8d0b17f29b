package graph

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"portico/model"
)

// checked refuses operations whose caller has a key that is not valid any more. The
// handler looks the key up for each request, when its body has come. That moment
// is too early for the operations of a socket, and for the second and later fields
// of a mutation: each is an operation of its own, and may follow revokeApiKey.
type checked struct {
	check func(ctx context.Context, caller *model.Caller) error
}

var _ interface {
	graphql.HandlerExtension
	graphql.OperationContextMutator
	graphql.RootFieldInterceptor
} = checked{}

// ExtensionName implements graphql.HandlerExtension.
func (checked) ExtensionName() string { return "KeyCheck" }

// Validate implements graphql.HandlerExtension.
func (checked) Validate(graphql.ExecutableSchema) error { return nil }

// MutateOperationContext implements graphql.OperationContextMutator.
func (c checked) MutateOperationContext(ctx context.Context, _ *graphql.OperationContext) *gqlerror.Error {
	who := model.CallerFrom(ctx)
	if who == nil || !who.Connected {
		return nil
	}
	if err := c.check(ctx, who); err != nil {
		return gqlerror.Wrap(err)
	}
	return nil
}

// InterceptRootField implements graphql.RootFieldInterceptor.
func (c checked) InterceptRootField(ctx context.Context, next graphql.RootResolver) graphql.Marshaler {
	who, root := model.CallerFrom(ctx), graphql.GetRootFieldContext(ctx)
	if who == nil || !follows(graphql.GetOperationContext(ctx), root) {
		return next(ctx)
	}
	if err := c.check(ctx, who); err != nil {
		// The presenter takes the path from the field.
		graphql.AddError(graphql.WithFieldContext(ctx, &graphql.FieldContext{
			Object: root.Object, Field: root.Field, Args: map[string]any{},
		}), err)
		return graphql.Null
	}
	return next(ctx)
}

// follows reports whether the field is one of a mutation, but not the first.
func follows(op *graphql.OperationContext, root *graphql.RootFieldContext) bool {
	if op.Operation.Operation != ast.Mutation {
		return false
	}
	first := graphql.CollectFields(op, op.Operation.SelectionSet, []string{root.Object})[0]
	return root.Field.Alias != first.Alias
}
