package graph

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"portico/model"
)

// presenter renders errors for GraphQL: the message for the client, and the code as
// extensions.code. It logs internal errors; nothing else does.
func presenter(log *slog.Logger) graphql.ErrorPresenterFunc {
	return func(ctx context.Context, err error) *gqlerror.Error {
		shown := graphql.DefaultErrorPresenter(ctx, err)
		if shown.Err == nil { // an error of the document: parsing, validation, a limit
			return withCode(shown)
		}
		e := model.AsError(err)
		switch field := graphql.GetFieldContext(ctx); {
		case field == nil:
		case strings.HasPrefix(field.Field.Name, "__") && graphql.GetOperationContext(ctx).DisableIntrospection:
			e = model.Invalidf("%s: introspection is off on this server", field.Field.Name)
		case hasUnreadArguments(field):
			e, shown.Path = invalidArgument(field, shown), field.Path()
		}
		if model.IsFault(ctx, e) {
			log.Error("graphql", "error", e.Err, "path", shown.Path.String(), "request_id", model.RequestID(ctx))
		}
		shown.Message = e.Message
		shown.Extensions = map[string]any{"code": string(e.Code)}
		if e.RetryAfter > 0 {
			shown.Extensions["retryAfterSeconds"] = model.RetrySeconds(e.RetryAfter)
		}
		addBudget(shown.Extensions, e.Budget)
		return shown
	}
}

// addBudget adds the limit that refused a request, by which clients can spread theirs.
func addBudget(extensions map[string]any, budget *model.Budget) {
	if budget == nil {
		return
	}
	extensions["cost"], extensions["limit"] = budget.Cost, budget.Limit
	if budget.Remaining != nil {
		extensions["remaining"] = *budget.Remaining
	}
}

// withCode adds a code to an error without one. A code of gqlgen is kept: it is more
// specific than ours.
func withCode(err *gqlerror.Error) *gqlerror.Error {
	if _, ok := err.Extensions["code"]; ok {
		return err
	}
	if err.Extensions == nil {
		err.Extensions = map[string]any{}
	}
	err.Extensions["code"] = string(model.CodeInvalid)
	return err
}

// hasUnreadArguments reports whether the arguments of the field could not be read, so that
// its resolver was not called. Then the document is valid, but its variables are not.
func hasUnreadArguments(field *graphql.FieldContext) bool {
	definition := field.Field.Field
	return field.Args == nil && definition != nil && definition.Definition != nil && len(definition.Definition.Arguments) > 0
}

// invalidArgument returns the error of an argument whose value its scalar refuses.
func invalidArgument(field *graphql.FieldContext, cause *gqlerror.Error) *model.Error {
	var argument []string
	for _, element := range cause.Path[min(len(field.Path()), len(cause.Path)):] {
		if name, ok := element.(ast.PathName); ok {
			argument = append(argument, string(name))
		}
	}
	// The messages of scalars are written for clients, but not the messages of strconv.
	reason := cause.Err.Error()
	if _, ok := errors.AsType[*strconv.NumError](cause.Err); ok {
		reason = "must be a whole number"
	}
	return model.Invalidf("%s: %s", strings.Join(argument, "."), reason)
}

// recovered turns a panic into an internal error with its stack, which the presenter
// logs.
func recovered(_ context.Context, p any) error {
	return fmt.Errorf("panic: %v\n%s", p, debug.Stack())
}

// refuse answers a request whose key is invalid, before it reaches GraphQL. There is no
// data, so the HTTP status reports the error too.
func (d *door) refuse(w http.ResponseWriter, r *http.Request, cause error) {
	err, code := d.present(r.Context(), cause), model.CodeOf(cause)
	switch code {
	case model.CodeUnauthenticated:
		// The header names the authorization server (RFC 9728 section 5.1). Only a
		// request with an invalid key gets here (RFC 6750 section 3.1).
		w.Header().Set("WWW-Authenticate", fmt.Sprintf(
			`Bearer resource_metadata="%s/.well-known/oauth-protected-resource/graphql", error="invalid_token"`, d.BaseURL))
	case model.CodeRateLimited:
		w.Header().Set("Retry-After", fmt.Sprint(err.Extensions["retryAfterSeconds"]))
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(code.HTTPStatus())
	body := struct {
		Errors gqlerror.List `json:"errors"`
	}{gqlerror.List{err}}
	// Encoding fails only when the client has disconnected.
	_ = json.NewEncoder(w).Encode(body)
}
