package transport

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"portico/internal/method"
	"portico/model"
)

// refusal is an error of the transport itself, before or instead of the execution of an operation.
// Present renders it in the same way as the error of a resolver.
type refusal struct {
	// status is the HTTP status; zero means that the request was well formed, and the
	// status depends on the media type (statusFor).
	status int
	// allowed are the allowed methods of a 405.
	allowed []string
	cause   error
}

// Error implements error.
func (r *refusal) Error() string { return r.cause.Error() }

// Unwrap returns the cause: a presenter looks for the model.Error in it.
func (r *refusal) Unwrap() error { return r.cause }

// refuse returns a *refusal with this status, as badRequest, notAllowed and tooLarge do.
func refuse(status int, cause error) error {
	return &refusal{status: status, cause: cause}
}

// badRequest returns a 400 for the error of a decoder; nil for nil.
func badRequest(cause error) error {
	if cause == nil {
		return nil
	}
	return refuse(http.StatusBadRequest, cause)
}

// notAllowed returns a 405 with this message, for a request with another method than the allowed
// ones.
func notAllowed(message string, allowed ...string) error {
	return &refusal{status: http.StatusMethodNotAllowed, allowed: allowed, cause: model.Invalidf("%s", message)}
}

// tooLarge returns a refusal that names the limit in bytes.
func tooLarge(status int, what string, limit int64) error {
	message := fmt.Sprintf("%s is larger than %d bytes", what, limit)
	return refuse(status, &model.Error{Code: model.CodeTooLarge, Message: message})
}

// setHeaders adds the headers of the status: Allow to a 405, Retry-After to a 429.
func (r *refusal) setHeaders(header http.Header) {
	if r.allowed != nil {
		method.Refuse(header, r.allowed...)
	}
	if e, ok := errors.AsType[*model.Error](r.cause); ok && e.RetryAfter > 0 {
		header.Set("Retry-After", strconv.Itoa(model.RetrySeconds(e.RetryAfter)))
	}
}

// statusOfCode returns the status of a response with this error and no data. It is the status at
// every door, except that 404, 409 and 423 become 400: they would be about the endpoint, which
// exists. A code of gqlgen is about an invalid document, which is 400 too.
func statusOfCode(code model.Code) int {
	if code == model.CodeNotFound || code == model.CodeConflict || code == model.CodeLocked || !slices.Contains(model.Codes(), code) {
		return http.StatusBadRequest
	}
	return code.HTTPStatus()
}

// statusOfError is statusOfCode for an error, which is 503 while the database does not answer.
func statusOfError(err error) int {
	e := model.AsError(err)
	if e.Code == model.CodeInternal {
		return e.HTTPStatus()
	}
	return statusOfCode(e.Code)
}
