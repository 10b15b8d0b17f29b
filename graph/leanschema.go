package graph

import (
	"bytes"
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
)

// leanSchema executes queries and mutations as the generated schema does. It leaves out two things
// that the generated Exec prepares for each operation and that nothing uses: a map of the decoders
// of all input types, and the responses of @defer, which the schema does not have.
//
// Its responses must equal the responses of the generated Exec, of which it is a shorter form. When
// gqlgen is updated, compare it with Exec in generated.go.
type leanSchema struct{ *executableSchema }

// Exec implements graphql.ExecutableSchema.
func (s leanSchema) Exec(ctx context.Context) graphql.ResponseHandler {
	op := graphql.GetOperationContext(ctx)
	var execute func(context.Context, ast.SelectionSet) graphql.Marshaler
	switch ec := newExecutionContext(op, s.executableSchema, nil); op.Operation.Operation {
	case ast.Query:
		execute = ec._Query
	case ast.Mutation:
		execute = ec._Mutation
	default:
		return s.executableSchema.Exec(ctx)
	}
	done := false
	return func(ctx context.Context) *graphql.Response {
		if done {
			return nil
		}
		done = true
		var data bytes.Buffer
		execute(ctx, op.Operation.SelectionSet).MarshalGQL(&data)
		return &graphql.Response{Data: data.Bytes()}
	}
}
