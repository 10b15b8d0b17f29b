package transport

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"portico/model"
)

// operation is a parsed and validated operation. The first call of next executes it.
type operation struct {
	ctx     context.Context
	exec    graphql.GraphExecutor
	request *graphql.OperationContext
	respond graphql.ResponseHandler
	done    bool
}

// prepare parses and validates the request. It returns the operation, or the response
// that refuses it, which has errors and no data.
//
// The extensions of package graph run in CreateOperationContext, so a document over a limit is
// refused here.
func prepare(ctx context.Context, exec graphql.GraphExecutor, params *graphql.RawParams) (op *operation, refused *graphql.Response) {
	defer func() {
		if value := recover(); value != nil {
			op, refused = nil, panicResponse(ctx, exec, value)
		}
	}()
	request, errs := exec.CreateOperationContext(ctx, params)
	// A subscription may last for hours: the text and the extensions of the request are not needed
	// after this, so their memory is freed.
	*params = graphql.RawParams{}
	request.Extensions = nil
	ctx = graphql.WithOperationContext(ctx, request)
	if len(errs) == 0 {
		errs = checkKept(request)
	}
	if len(errs) == 0 {
		return &operation{ctx: ctx, exec: exec, request: request}, nil
	}
	if refused = exec.DispatchError(ctx, errs); refused == nil || len(refused.Errors) == 0 {
		return nil, &graphql.Response{Errors: errs}
	}
	return nil, refused
}

// maxKeptVariables is the maximum size of the variables of a subscription, in bytes. The server
// keeps them in memory until the subscription ends.
const maxKeptVariables = 16 << 10

// checkKept refuses a subscription with large variables.
func checkKept(request *graphql.OperationContext) gqlerror.List {
	if request.Operation.Operation != ast.Subscription || textSize(request.Variables) <= maxKeptVariables {
		return nil
	}
	return gqlerror.List{defaultError(model.TooLargef(
		"The variables of a subscription must have at most %d bytes", maxKeptVariables))}
}

// textSize returns the size of the names, texts and numbers in a value of decoded JSON.
func textSize(value any) int {
	size := 8 // a number, or the slot of a list
	switch value := value.(type) {
	case string:
		size += len(value)
	case json.Number:
		size += len(value)
	case []any:
		for _, element := range value {
			size += textSize(element)
		}
	case map[string]any:
		for name, element := range value {
			size += len(name) + textSize(element)
		}
	}
	return size
}

// kind returns ast.Query, ast.Mutation or ast.Subscription.
func (o *operation) kind() ast.Operation { return o.request.Operation.Operation }

// next returns the next response; nil after the last one. Its data is valid until the next call,
// because gqlgen writes all responses into one buffer. A panic becomes the last response.
func (o *operation) next() (response *graphql.Response) {
	if o.done {
		return nil
	}
	defer func() {
		if value := recover(); value != nil {
			response = panicResponse(o.ctx, o.exec, value)
		}
		o.done = response == nil || !o.hasMore(response)
	}()
	if o.respond == nil {
		o.respond, o.ctx = o.exec.DispatchOperation(o.ctx, o.request)
	}
	return o.respond(o.ctx)
}

// hasMore reports whether another response can follow. No response follows a request error, or the
// result of a query or mutation. Without this check an extension that gives every call the same
// response would keep a stream busy forever.
func (o *operation) hasMore(response *graphql.Response) bool {
	deferred := response.HasNext != nil && *response.HasNext
	return deferred || o.kind() == ast.Subscription && !isRequestError(response)
}

// isRequestError reports whether the operation was not executed. A response with errors
// in its fields has data, which may be null (GraphQL specification, Response).
func isRequestError(response *graphql.Response) bool { return len(response.Data) == 0 }

// panicResponse returns the response to a panic, by the RecoverFunc and error presenter of
// the executor, which log it.
func panicResponse(ctx context.Context, exec graphql.GraphExecutor, value any) *graphql.Response {
	presented := defaultError(fmt.Errorf("panic: %v", value))
	// gqlgen's executor has this method, but its interface does not.
	if owner, ok := exec.(interface {
		PresentRecoveredError(ctx context.Context, value any) error
	}); ok {
		e, ok := errors.AsType[*gqlerror.Error](owner.PresentRecoveredError(ctx, value))
		if ok && e != nil {
			presented = e
		}
	}
	if _, ok := presented.Extensions["code"]; !ok {
		coded := *presented
		coded.Extensions = map[string]any{"code": model.CodeInternal.GraphQLConstant()}
		presented = &coded
	}
	return &graphql.Response{Errors: gqlerror.List{presented}}
}
