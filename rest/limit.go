package rest

import (
	"cmp"
	"net/http"

	"portico/limit"
	"portico/model"
)

// limited counts a request before its endpoint looks at it: what is over the limit
// is not even decoded. Both prefixes count as one. An endpoint whose operation
// depends on the body counts by itself.
func (a *api) limited(e endpoint) handler {
	if e.countsItself {
		return e.handle
	}
	return func(w http.ResponseWriter, r *http.Request) error {
		if err := a.take(r, e.operation); err != nil {
			return err
		}
		return e.handle(w, r)
	}
}

// turnAway answers a request that auth found no caller for. It counts for the
// address that it comes from, in no scope but that of all: it is refused before
// its route is looked at. Others at that address go on with their keys.
func (a *api) turnAway(w http.ResponseWriter, r *http.Request, err error) {
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
