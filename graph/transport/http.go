package transport

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"portico/model"
)

// HTTP handles queries and mutations by POST, and queries by GET, as "GraphQL over HTTP"
// specifies. It supports every request, so it is mounted last. The zero value is ready.
type HTTP struct {
	// MaxBody limits the bytes of a body, and of the query of a URL. A larger one is
	// refused with 413 or 414. Zero means 1 MiB.
	MaxBody int64

	// Present renders an error of the transport itself. Set it to the function given to
	// SetErrorPresenter, so that all errors look alike and are logged once. Nil renders
	// the message and extensions.code of model.AsError.
	Present graphql.ErrorPresenterFunc

	// Logger logs a panic of Present, which has then not logged the error. Nil logs none.
	Logger *slog.Logger

	// Challenge is the header WWW-Authenticate of the response to a request whose key was revoked
	// before its body had arrived.
	Challenge string
}

// Supports implements graphql.Transport. It supports every request.
func (HTTP) Supports(*http.Request) bool { return true }

// Do implements graphql.Transport.
func (h HTTP) Do(w http.ResponseWriter, r *http.Request, exec graphql.GraphExecutor) {
	// The CORS handler responds to preflights before this, so the client wants to know the methods.
	if r.Method == http.MethodOptions {
		w.Header().Set("Allow", "GET, POST, OPTIONS")
		w.WriteHeader(http.StatusNoContent)
		return
	}
	media := preferred(r.Header.Values("Accept"), mediaJSON, mediaResponse)
	a := responder{w: w, r: r, media: media, presenter: presenter{h.Present, h.Logger}, challenge: h.Challenge}
	if media == "" {
		a.media = mediaJSON
		a.refuse(refuse(http.StatusNotAcceptable, model.Invalidf("Accept must include %s or %s", mediaResponse, mediaJSON)))
		return
	}
	response, err := h.execute(w, r, exec)
	if err != nil {
		a.refuse(err)
		return
	}
	a.write(statusFor(media, response), response)
}

// execute returns the response of the operation, or a *refusal.
//
// The order of the refusals: method and body, then the document, then what its kind needs.
func (h HTTP) execute(w http.ResponseWriter, r *http.Request, exec graphql.GraphExecutor) (*graphql.Response, error) {
	params, err := readRequest(w, r, cmp.Or(h.MaxBody, defaultMaxBody))
	if err != nil {
		return nil, err
	}
	op, refused := prepare(r.Context(), exec, params)
	if refused != nil {
		return refused, nil
	}
	if err := checkMethod(r, op); err != nil {
		return nil, err
	}
	// A subscription has many responses ("GraphQL over HTTP", Response, does not cover
	// them).
	if op.kind() == ast.Subscription {
		return nil, refuse(0, model.Invalidf("A subscription needs a WebSocket or Accept: %s", mediaEvents))
	}
	response := op.next()
	switch {
	case response == nil:
		return nil, refuse(0, noResponse(r.Context()))
	case response.HasNext != nil && *response.HasNext:
		return nil, refuse(0, model.Invalidf("@defer needs a WebSocket or Accept: %s", mediaEvents))
	default:
		return response, nil
	}
}

// noResponse returns the error of an operation that ended without a response. Usually its context
// has ended, by a deadline or because the client has gone.
func noResponse(ctx context.Context) error {
	if cause := context.Cause(ctx); cause != nil {
		return fmt.Errorf("wait for the response: %w", cause)
	}
	return errors.New("the operation ended without a response")
}

// checkMethod refuses mutations by GET: caches and links may repeat a GET, and other sites may send
// it ("GraphQL over HTTP", GET).
func checkMethod(r *http.Request, op *operation) error {
	if r.Method == http.MethodGet && op.kind() == ast.Mutation {
		return notAllowed("A mutation needs POST", http.MethodPost)
	}
	return nil
}
