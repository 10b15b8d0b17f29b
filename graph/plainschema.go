package graph

import (
	"bytes"
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
)

// plainSchema executes operations as the generated schema does, with less work for what is plain:
//
//   - Plain fields are encoded directly, without a context of their own. internal/plainfields writes
//     this into the generated code, for executions with a responseMeter.
//   - An object is written by its fields alone, without a set of the names that were written.
//   - A list whose elements call no resolver is encoded without a goroutine for each element.
//   - The fields of a selection without fragments and conditions are not merged and looked up by type,
//     and the arguments of a field need the context with their path only for errors (plainfields.go).
//   - Two things are left out that the generated Exec prepares for each operation and that nothing
//     uses: a map of the decoders of all input types, and the responses of @defer, which the schema
//     does not have.
//
// Its responses must equal the responses of the generated Exec. When gqlgen is updated, compare it
// with Exec in generated.go.
type plainSchema struct{ *executableSchema }

// Exec implements graphql.ExecutableSchema.
func (s plainSchema) Exec(ctx context.Context) graphql.ResponseHandler {
	op := graphql.GetOperationContext(ctx)
	ec := newExecutionContext(op, s.executableSchema, nil)
	ec.meter = responseMeterOf(ctx)
	switch op.Operation.Operation {
	case ast.Query:
		return singleResponse(op, ec._Query)
	case ast.Mutation:
		return singleResponse(op, ec._Mutation)
	default:
		return eventResponses(ec._Subscription(ctx, op.Operation.SelectionSet))
	}
}

// usualResponse is the size of most responses to a query or a mutation, in bytes.
const usualResponse = 1 << 10

// singleResponse returns the handler of a query or mutation. The second call returns nil, because
// gqlgen calls the handler until it does.
func singleResponse(op *graphql.OperationContext, execute func(context.Context, ast.SelectionSet) graphql.Marshaler) graphql.ResponseHandler {
	done := false
	return func(ctx context.Context) *graphql.Response {
		if done {
			return nil
		}
		done = true
		data := bytes.NewBuffer(make([]byte, 0, usualResponse))
		execute(ctx, op.Operation.SelectionSet).MarshalGQL(data)
		return &graphql.Response{Data: data.Bytes()}
	}
}

// eventResponses returns the handler of a subscription. next returns the next event, or nil after
// the last one.
func eventResponses(next func(context.Context) graphql.Marshaler) graphql.ResponseHandler {
	var data bytes.Buffer
	return func(ctx context.Context) *graphql.Response {
		data.Reset()
		event := next(ctx)
		if event == nil {
			return nil
		}
		event.MarshalGQL(&data)
		return &graphql.Response{Data: data.Bytes()}
	}
}
