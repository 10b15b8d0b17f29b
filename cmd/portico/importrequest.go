package main

import (
	"context"
	"fmt"
	"net/http"

	"github.com/cenkalti/backoff/v5"

	"portico/model"
)

// call is remote.call that repeats the request until there is a response. The server may get it
// twice.
func (i *importer) call(ctx context.Context, method, path string, body, v any) error {
	return repeatUntilResponse(ctx, func() error { return i.remote.call(ctx, method, path, body, v) })
}

// createSpace creates an empty space and returns its id. If the response is lost, nobody knows the
// id, so undo cannot delete the space: another space of the account may have its title.
func (i *importer) createSpace(ctx context.Context, space model.ExportedSpace) (id string, err error) {
	var made struct{ SpaceID string }
	err = retryWhenLimited(ctx, func() error { // not call: it could create a second space
		return i.remote.call(ctx, http.MethodPost, "/v1/spaces", map[string]any{"title": space.Title, "space_type": space.Type}, &made)
	})
	if err == nil {
		return made.SpaceID, nil
	}
	err = fmt.Errorf("create the space %q: %w", space.Title, err)
	if !isFinalResponse(err) {
		err = fmt.Errorf("%w\nThe account may have a new, empty space %q, which the import could not delete: delete it in the console", err, space.Title)
	}
	return "", err
}

// callGraphQL executes a document that the server may get twice, and decodes its data into v, which
// may be nil. It repeats the request until there is a response.
func (i *importer) callGraphQL(ctx context.Context, document string, variables map[string]any, v any) error {
	return untilResponse(ctx, func() error { return i.remote.callGraphQL(ctx, document, variables, v) })
}

// callGraphQL executes a document and decodes its data into v, which may be nil. It retries when a
// rate limit refuses the operation.
//
// A rate limit of GraphQL is an error in a response of 200, so retryWhenLimited does not see it. An
// error of the operation is a *refusedError with 200, or with 500 if it is a fault of the server.
func (r *remote) callGraphQL(ctx context.Context, document string, variables map[string]any, v any) error {
	return retry(ctx, namesNoWait, func() error {
		response := struct {
			Data   any
			Errors []struct {
				Message    string
				Extensions struct {
					Code              string
					RetryAfterSeconds int
				}
			}
		}{Data: v}
		if err := r.exchange(ctx, http.MethodPost, "/graphql", map[string]any{"query": document, "variables": variables}, &response); err != nil {
			return err
		}
		switch {
		case len(response.Errors) == 0:
			return nil
		case response.Errors[0].Extensions.Code == model.CodeInternal.GraphQLConstant():
			return &refusedError{status: http.StatusInternalServerError, message: response.Errors[0].Message}
		case response.Errors[0].Extensions.RetryAfterSeconds > 0:
			return backoff.RetryAfter(response.Errors[0].Extensions.RetryAfterSeconds)
		}
		return &refusedError{status: http.StatusOK, message: response.Errors[0].Message}
	})
}
