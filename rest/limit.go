package rest

import (
	"cmp"
	"net/http"

	"portico/limit"
	"portico/model"
)

// limited counts a request before its endpoint looks at it: what is over the limit
// is not even decoded. Both prefixes count as one.
func (a *api) limited(e endpoint) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if err := a.take(r, e.scope); err != nil {
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
		err = cmp.Or(a.take(r, limit.All), err)
	}
	a.fail(w, r, err)
}

// take counts the request for the key or the address that it comes with.
func (a *api) take(r *http.Request, scope limit.Scope) error {
	return a.limiter.Take(r.Context(), a.limiter.Subject(r), scope)
}
