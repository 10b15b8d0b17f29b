package transport

import (
	"cmp"
	"errors"
	"net/http"
	"strconv"

	"github.com/99designs/gqlgen/graphql"

	"portico/model"
)

// responder writes the one JSON response to a request.
type responder struct {
	w http.ResponseWriter
	r *http.Request
	// media is the type of the response: mediaJSON or mediaResponse.
	media     string
	presenter presenter
	challenge string // HTTP.Challenge
}

// refuse responds with an error. A *refusal determines the status and the headers.
func (a responder) refuse(err error) {
	response := a.presenter.refused(a.r.Context(), err)
	status := statusFor(a.media, response)
	if a.challenge != "" && model.CodeOf(err) == model.CodeUnauthenticated {
		a.w.Header().Set("WWW-Authenticate", a.challenge)
	}
	if r, ok := errors.AsType[*refusal](err); ok {
		r.setHeaders(a.w.Header())
		status = cmp.Or(r.status, status)
	}
	a.write(status, response)
}

// write sends a response. The headers name the request header that determines the type, and how long
// to wait after a refused request.
func (a responder) write(status int, response *graphql.Response) {
	body := a.presenter.encode(a.r.Context(), response)
	header := a.w.Header()
	header.Set("Content-Type", a.media+"; charset=utf-8")
	header.Set("Content-Length", strconv.Itoa(len(body))) // without it the server would send chunks
	header.Add("Vary", "Accept")
	if wait := retryAfter(response); wait > 0 {
		header.Set("Retry-After", strconv.Itoa(wait))
	}
	a.w.WriteHeader(status)
	_, _ = a.w.Write(body) // fails only when the client has gone
}

// retryAfterSeconds is the extension of errors that says when to try again.
const retryAfterSeconds = "retryAfterSeconds"

// retryAfter returns the seconds to wait after a refused request, which the error presenter
// has added to the error; 0 for other responses.
func retryAfter(response *graphql.Response) int {
	if !isRequestError(response) || len(response.Errors) == 0 {
		return 0
	}
	wait, _ := response.Errors[0].Extensions[retryAfterSeconds].(int)
	return wait
}

// statusFor returns the status of the response to a well-formed request. With application/json it
// is 200 even when the document is invalid, because clients of that type treat a 4xx as the
// response of a proxy. With the newer type the status reports the error too ("GraphQL over HTTP",
// Status Codes). An internal error is 500, or 503 in an outage of the database, with both types.
func statusFor(media string, response *graphql.Response) int {
	if !isRequestError(response) || len(response.Errors) == 0 {
		return http.StatusOK
	}
	code, _ := response.Errors[0].Extensions["code"].(string)
	status := statusOfCode(model.ParseGraphQLConstant(code))
	if status == http.StatusInternalServerError && retryAfter(response) > 0 {
		return http.StatusServiceUnavailable // the database does not answer
	}
	if media == mediaJSON && status != http.StatusInternalServerError {
		return http.StatusOK
	}
	return status
}
