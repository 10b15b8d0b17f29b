package door

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

// presenter returns the function that renders errors for GraphQL: the message for the client, and
// the code as extensions.code. It is the only place that logs internal errors of operations.
//
// The parts of an error, and who reads them:
//
//	message                        a person: the text for clients, never the internal cause
//	path                           the field of the response
//	extensions.code                a program: model.Code, or the code of gqlgen or Apollo
//	extensions.reason              why, where one code has several reasons
//	extensions.field               the input that is wrong, by the names of the schema
//	extensions.retryAfterSeconds   with RATE_LIMITED, as the header Retry-After
//	extensions.current             the object that conflicts with the request
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
		if e.Code == model.CodeInternal {
			model.LogFault(ctx, log, e.Err, "door", "graphql", "path", shown.Path.String())
		}
		shown.Message, shown.Extensions = e.Message, extensions(e)
		if e.Field != "" {
			path, message := schemaPath(ctx, e)
			shown.Message, shown.Extensions["field"] = message, path
		}
		addBudget(shown.Extensions, e.Budget)
		return shown
	}
}

// addBudget adds the rate limit that refused a request, so that clients can spread their
// requests.
func addBudget(extensions map[string]any, budget *model.Budget) {
	if budget == nil {
		return
	}
	extensions["cost"], extensions["limit"] = budget.Cost, budget.Limit
	if budget.Remaining != nil {
		extensions["remaining"] = *budget.Remaining
	}
}

// extensions returns the parts of an error that are for programs.
func extensions(e *model.Error) map[string]any {
	shown := map[string]any{"code": e.Code.GraphQLConstant()}
	if e.RetryAfter > 0 {
		shown["retryAfterSeconds"] = model.RetrySeconds(e.RetryAfter)
	}
	if e.Reason != "" {
		shown["reason"] = e.Reason.GraphQLConstant()
	}
	if e.Current != nil {
		shown["current"] = currentState(e.Current)
	}
	return shown
}

// currentState returns the fields of an object that clients can change, by their names in the
// schema.
//
// The ids are the ids of the schema (model.NodeID), because the client read them there.
func currentState(object model.Node) map[string]any {
	switch object := object.(type) {
	case *model.Space:
		fields := map[string]any{
			"id": object.NodeID(), "version": object.Version,
			"privacy": object.Privacy.GraphQLConstant(), "data": object.Data, "createdAt": object.CreatedAt, "changedAt": object.ChangedAt,
		}
		for name, text := range model.NewObject(object.SpaceTexts).Fields() {
			fields[name] = text
		}
		return fields
	case *model.Entity:
		return map[string]any{
			"id": object.NodeID(), "version": object.Version, "type": object.Type, "data": object.Data,
			"state": object.State, "createdAt": object.CreatedAt, "changedAt": object.ChangedAt,
		}
	}
	return nil
}

// schemaFields returns the names in the schema of REST's input fields, where they differ.
// Validation is in package model, which uses the names of REST.
func schemaFields() map[string]string {
	return map[string]string{
		"file_name": "fileName", "file_size": "fileSize", "content_type": "contentType", "convert_to": "convertTo",
		"extra_info.file_url": "fileUrl", "resource_key": "fileId", "space_type": "type",
		"entity_id": "entityId", "entity_type": "type", "entity_data": "data", "search": "filter.text",
		"cursor": "after", "limit": "first", "password": "newPassword",
		"replace_in.entity_id": "replaceIn.entityId", "replace_in.entity_data": "replaceIn.data",
	}
}

// schemaPath returns the path of the field that is wrong, and the message, with the names of
// the schema instead of REST's.
//
// A mutation has one argument, input, so the path of its fields begins with it. Fields of edits are
// renamed word by word.
func schemaPath(ctx context.Context, e *model.Error) (path []string, message string) {
	name := e.Field
	for rest, inGraphQL := range schemaFields() {
		if after, ok := strings.CutPrefix(e.Field, rest); ok && (after == "" || after[0] == '.') {
			name = inGraphQL + after
			break
		}
	}
	if strings.HasPrefix(name, "edits.") {
		name = schemaName(strings.Replace(name, "merge.resource_key", "merge.file_id", 1))
	}
	root := rootField(ctx)
	if name == "id" { // the name of the input of cancelJob and followUser in REST and MCP
		name = inputID(root, name)
	}
	path = strings.Split(name, ".")
	if root != nil && root.Object == "Mutation" {
		path = append([]string{"input"}, path...)
	}
	// The limit of an entity is for two fields together.
	return path, strings.ReplaceAll(e.RenameField(name).Message, "entity_state", "state")
}

// schemaName returns a name of REST and MCP as the schema writes it: filterBox for filter_box.
func schemaName(name string) string {
	words := strings.Split(name, "_")
	for i, word := range words[1:] {
		words[i+1] = strings.ToUpper(word[:1]) + word[1:]
	}
	return strings.Join(words, "")
}

// rootField returns the root field below which an error occurred; nil for none.
func rootField(ctx context.Context) *graphql.FieldContext {
	field := graphql.GetFieldContext(ctx)
	for field != nil && field.Parent != nil && field.Parent.Field.Field != nil {
		field = field.Parent
	}
	return field
}

// inputID returns the name of the input's only id, such as jobId.
func inputID(root *graphql.FieldContext, name string) string {
	if root == nil || root.Object != "Mutation" || root.Field.Definition == nil {
		return name
	}
	for suffix, field := range map[string]string{"Job": "jobId", "User": "userId"} {
		if strings.HasSuffix(root.Field.Name, suffix) {
			return field
		}
	}
	return name
}

// withCode adds our code to an error that has none. A code of gqlgen stays, because it is more
// specific.
//
// A document that cannot be parsed has GRAPHQL_PARSE_FAILED, and an invalid one
// GRAPHQL_VALIDATION_FAILED.
func withCode(err *gqlerror.Error) *gqlerror.Error {
	if _, ok := err.Extensions["code"]; ok {
		return err
	}
	if err.Extensions == nil {
		err.Extensions = map[string]any{}
	}
	err.Extensions["code"] = model.CodeInvalid.GraphQLConstant()
	return err
}

// hasUnreadArguments reports whether the arguments of the field could not be decoded, and its
// resolver was not called. This happens for a valid document with invalid variables.
func hasUnreadArguments(field *graphql.FieldContext) bool {
	definition := field.Field.Field
	return field.Args == nil && definition != nil && definition.Definition != nil && len(definition.Definition.Arguments) > 0
}

// invalidArgument returns the error of an argument whose value its scalar refuses. No list of the
// schema's inputs contains such a scalar, so the path has no indexes.
func invalidArgument(field *graphql.FieldContext, cause *gqlerror.Error) *model.Error {
	var argument []string
	for _, element := range cause.Path[min(len(field.Path()), len(cause.Path)):] {
		if name, ok := element.(ast.PathName); ok {
			argument = append(argument, string(name))
		}
	}
	// Only the errors of our scalars are for clients. The messages of gqlgen and strconv contain types
	// and functions of Go.
	reason := "has an invalid value"
	if e, ok := errors.AsType[*model.Error](cause.Err); ok {
		reason = e.Message
	} else if _, ok := errors.AsType[*strconv.NumError](cause.Err); ok {
		reason = "must be a whole number"
	}
	name := strings.TrimPrefix(strings.Join(argument, "."), "input.")
	return model.InvalidField(name, reason)
}

// panicError turns a panic into an internal error with its stack, which the presenter
// logs.
func panicError(_ context.Context, p any) error {
	return fmt.Errorf("panic: %v\n%s", p, debug.Stack())
}

// refuse writes the response to a request that is refused before it reaches GraphQL. There is no
// data, so the HTTP status reports the error too.
//
// The body is a response of GraphQL over HTTP without data, so clients of GraphQL can read it.
func (d *door) refuse(w http.ResponseWriter, r *http.Request, cause error) {
	err, code := d.present(r.Context(), cause), model.CodeOf(cause)
	switch code {
	case model.CodeUnauthenticated:
		w.Header().Set("WWW-Authenticate", d.challenge())
	case model.CodeRateLimited, model.CodeInternal:
		if wait, ok := err.Extensions["retryAfterSeconds"]; ok { // without a time, waiting does not help
			w.Header().Set("Retry-After", fmt.Sprint(wait))
		}
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(model.AsError(cause).HTTPStatus())
	body := struct {
		Errors gqlerror.List `json:"errors"`
	}{gqlerror.List{err}}
	// Encoding fails only when the client has disconnected.
	_ = json.NewEncoder(w).Encode(body)
}

// challenge returns the header WWW-Authenticate of the response to an invalid key. It names the
// authorization server (RFC 9728 section 5.1) and the error (RFC 6750 section 3.1): a request without a
// key is not refused.
func (d *door) challenge() string {
	return fmt.Sprintf(`Bearer resource_metadata="%s%s/graphql", error="invalid_token"`, d.BaseURL, model.ResourceMetadataPath)
}
