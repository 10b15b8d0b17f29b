package transport

import (
	"errors"
	"net/http"
	"strconv"

	"github.com/99designs/gqlgen/graphql"

	"portico/model"
)

// answer writes one JSON response.
type answer struct {
	w http.ResponseWriter
	r *http.Request
	// media is what the client takes, mediaJSON or mediaResponse.
	media     string
	presenter presenter
}

// refuse answers with an error that is a *refusal.
func (a answer) refuse(err error) {
	response := a.presenter.refused(a.r.Context(), err)
	status := statusFor(a.media, response)
	if r, ok := errors.AsType[*refusal](err); ok {
		r.setHeaders(a.w.Header())
		status = orDefault(r.status, status)
	}
	a.write(status, response)
}

func (a answer) write(status int, response *graphql.Response) {
	body := a.presenter.encode(a.r.Context(), response)
	header := a.w.Header()
	header.Set("Content-Type", a.media+"; charset=utf-8")
	header.Set("Content-Length", strconv.Itoa(len(body))) // else it goes out in chunks
	header.Add("Vary", "Accept")
	a.w.WriteHeader(status)
	_, _ = a.w.Write(body) // a client that has gone needs no word
}

// statusFor is the status of a well-formed request. With application/json it is
// 200 even when the document is not valid, because clients of that type read a
// 4xx as the work of a proxy; the newer type says it with the status as well
// ("GraphQL over HTTP", Status Codes). A fault of ours is a 500 under both.
func statusFor(media string, response *graphql.Response) int {
	if !isRequestError(response) || len(response.Errors) == 0 {
		return http.StatusOK
	}
	code, _ := response.Errors[0].Extensions["code"].(string)
	status := statusOfCode(model.Code(code))
	if media == mediaJSON && status != http.StatusInternalServerError {
		return http.StatusOK
	}
	return status
}
