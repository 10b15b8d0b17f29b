package limits

import (
	"context"
	"slices"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/introspection"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// IntrospectionNulls makes the lists of __Type null that a kind of type does not have: the fields of
// a scalar, or the interfaces of an enum (GraphQL specification section 4.2.2, "The __Type Type").
// gqlgen returns empty lists.
type IntrospectionNulls struct{}

var _ interface {
	graphql.HandlerExtension
	graphql.OperationContextMutator
} = IntrospectionNulls{}

// ExtensionName implements graphql.HandlerExtension.
func (IntrospectionNulls) ExtensionName() string { return "IntrospectionNulls" }

// Validate implements graphql.HandlerExtension.
func (IntrospectionNulls) Validate(graphql.ExecutableSchema) error { return nil }

// MutateOperationContext implements graphql.OperationContextMutator. Only the operations that select
// the schema get the middleware, because it is called for each field.
func (IntrospectionNulls) MutateOperationContext(_ context.Context, op *graphql.OperationContext) *gqlerror.Error {
	if !selectsSchema(op.Operation.SelectionSet) {
		return nil
	}
	next := op.ResolverMiddleware
	op.ResolverMiddleware = func(ctx context.Context, resolve graphql.Resolver) (any, error) {
		value, err := next(ctx, resolve)
		if isMissingList(graphql.GetFieldContext(ctx)) {
			return nil, err
		}
		return value, err
	}
	return nil
}

// selectsSchema reports whether a selection of root fields has a field of the schema.
func selectsSchema(selection ast.SelectionSet) bool {
	return slices.ContainsFunc(selection, func(s ast.Selection) bool {
		switch s := s.(type) {
		case *ast.Field:
			return s.Name == "__schema" || s.Name == "__type"
		case *ast.InlineFragment:
			return selectsSchema(s.SelectionSet)
		case *ast.FragmentSpread:
			return selectsSchema(s.Definition.SelectionSet)
		}
		return false
	})
}

// isMissingList reports whether a field is a list of __Type that the kind of the type does not have.
func isMissingList(field *graphql.FieldContext) bool {
	if field == nil || field.Object != "__Type" || field.Parent == nil {
		return false
	}
	described, ok := field.Parent.Result.(*introspection.Type)
	if !ok {
		return false
	}
	kinds, isList := kindsOfLists()[field.Field.Name]
	return isList && !slices.Contains(kinds, ast.DefinitionKind(described.Kind()))
}

// kindsOfLists returns the kinds of types that have the lists of __Type.
func kindsOfLists() map[string][]ast.DefinitionKind {
	return map[string][]ast.DefinitionKind{
		"fields":        {ast.Object, ast.Interface},
		"interfaces":    {ast.Object, ast.Interface},
		"possibleTypes": {ast.Interface, ast.Union},
		"enumValues":    {ast.Enum},
		"inputFields":   {ast.InputObject},
	}
}
