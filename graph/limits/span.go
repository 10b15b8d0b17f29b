package limits

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// OperationSpans creates a span for each operation, with its type and the name that the client gave
// it. The span of a subscription ends with the first response. The later responses, which may
// follow for hours, belong to no trace.
type OperationSpans struct{ Tracer trace.Tracer }

var _ interface {
	graphql.HandlerExtension
	graphql.OperationInterceptor
} = OperationSpans{}

// ExtensionName implements graphql.HandlerExtension.
func (OperationSpans) ExtensionName() string { return "Trace" }

// Validate implements graphql.HandlerExtension.
func (OperationSpans) Validate(graphql.ExecutableSchema) error { return nil }

// maxTracedName is the maximum length of a client's text in a trace.
const maxTracedName = 64

// InterceptOperation implements graphql.OperationInterceptor.
//
// The attributes are named by OpenTelemetry's conventions for GraphQL.
func (t OperationSpans) InterceptOperation(ctx context.Context, next graphql.OperationHandler) graphql.ResponseHandler {
	op := graphql.GetOperationContext(ctx).Operation
	kind := ast.Query // a document of one selection names none
	if op.Operation != "" {
		kind = op.Operation
	}
	ctx, span := t.Tracer.Start(ctx, string(kind), trace.WithAttributes(
		attribute.String("graphql.operation.type", string(kind)),
		attribute.String("graphql.operation.name", op.Name[:min(len(op.Name), maxTracedName)]),
	))
	respond := next(ctx)
	return func(ctx context.Context) *graphql.Response {
		response := respond(ctx)
		if response != nil && len(response.Errors) > 0 {
			span.SetStatus(codes.Error, "") // the message may contain data of the client
		}
		span.End() // later calls have no effect
		return response
	}
}
