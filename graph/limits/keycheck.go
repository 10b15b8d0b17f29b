package limits

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"portico/model"
)

// KeyCheck refuses operations whose caller has a key that is no longer valid. The handler finds
// the key once for each request, and may leave the check of a known key to the statement of the
// operation. KeyCheck does the check for the others: for operations whose statements do not check
// the key, for each operation of a socket, and for the second and later fields of a mutation, which
// may follow revokeApiKey.
//
// When the key is checked, by operation:
//
//	a socket                 for each operation, with a query
//	checksKey                by the statement of the operation
//	other operations         CheckKey: a query for a remembered key, and none for a key just checked
//	later mutations          before each field, with a query
type KeyCheck struct {
	Check func(ctx context.Context, caller *model.Caller) error
}

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
func (k KeyCheck) MutateOperationContext(ctx context.Context, op *graphql.OperationContext) *gqlerror.Error {
	c, err := model.CallerFrom(ctx), error(nil)
	switch {
	case c == nil:
	case c.Connected:
		err = k.Check(ctx, c)
	case !checksKey(op.Operation):
		err = c.CheckKey(ctx)
	}
	if err != nil {
		return gqlerror.Wrap(err)
	}
	return nil
}

// checksKey reports whether the statement of the operation checks the key of an unchecked
// caller: the statements of access.TryAsOwner, ReadableEntity and ReadableSpace do. An operation
// with a second field has another statement, which may not.
func checksKey(op *ast.OperationDefinition) bool {
	if len(op.SelectionSet) != 1 {
		return false
	}
	field, isField := op.SelectionSet[0].(*ast.Field)
	if !isField {
		return false
	}
	switch field.Name {
	case "space", "entity", "createEntity", "updateEntity", "deleteEntity":
		return true
	}
	return false
}

// InterceptRootField implements graphql.RootFieldInterceptor.
//
// The fields of a mutation run one after the other (GraphQL specification section 6.2.2), so the
// second may follow revokeApiKey. The fields of a query run at the same time, and are one
// operation.
func (k KeyCheck) InterceptRootField(ctx context.Context, next graphql.RootResolver) graphql.Marshaler {
	c, root := model.CallerFrom(ctx), graphql.GetRootFieldContext(ctx)
	if c == nil || !isLaterMutation(graphql.GetOperationContext(ctx), root) {
		return next(ctx)
	}
	if err := k.Check(ctx, c); err != nil {
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
