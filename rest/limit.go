package rest

import (
	"cmp"
	"net/http"

	"portico/limit"
	"portico/model"
)

// limited counts a request before its endpoint reads it: a request over the limit is not
// decoded. Both prefixes count as one. A revoked key is refused before it counts, unless the
// endpoint's own statement finds it.
func (a *api) limited(e endpoint) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if !e.checksKey {
			if err := model.CallerFrom(r.Context()).Confirm(r.Context()); err != nil {
				return err
			}
		}
		if e.countsItself {
			return e.handle(w, r)
		}
		if err := a.take(r, e.operation); err != nil {
			return err
		}
		return e.handle(w, r)
	}
}

// refuseStranger answers a request without a valid key. It counts by address, in the limit of
// all requests only, because its route is not known yet. Other clients at that address are
// not affected: requests with a key count by account.
func (a *api) refuseStranger(w http.ResponseWriter, r *http.Request, err error) {
	if model.CodeOf(err) == model.CodeUnauthenticated { // any other error is ours
		err = cmp.Or(a.take(r, ""), err)
	}
	a.fail(w, r, err)
}

// take counts the request for the account or the address that it comes with, in
// the scope of the operation that it equals.
func (a *api) take(r *http.Request, operation string) error {
	return a.limiter.Take(r.Context(), a.limiter.Subject(r), limit.ScopeOf(operation))
}
