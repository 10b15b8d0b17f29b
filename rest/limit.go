package rest

import (
	"cmp"
	"net/http"

	"portico/limit"
	"portico/model"
)

// limited counts a request before the endpoint handles it, so that a request over the limit is not
// decoded. If countsInHandler is set, the handler decodes first and calls count. Both prefixes have
// the same limits.
func (a *api) limited(e endpoint) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if !e.countsInHandler {
			if err := a.count(r, e.operation); err != nil {
				return err
			}
		}
		if err := e.checkQuery(r); err != nil {
			if e.countsInHandler { // an invalid request counts too
				err = cmp.Or(a.count(r, e.operation), err)
			}
			return err
		}
		return e.handle(w, r)
	}
}

// refuseUnauthenticated handles a request without a valid key. The request counts only in the limit
// of all requests, because its route is not known.
func (a *api) refuseUnauthenticated(w http.ResponseWriter, r *http.Request, err error) {
	if model.CodeOf(err) == model.CodeUnauthenticated { // other errors are internal
		err = cmp.Or(a.limiter.TakeRequest(r), err)
	}
	a.fail(w, r, err)
}

// count counts the request for its account or its address, in the scope of the operation. It
// returns an error over the limit.
func (a *api) count(r *http.Request, operation string) error {
	return a.limiter.Take(r.Context(), a.limiter.Subject(r), limit.ScopeOf(operation))
}
