package rest

import (
	"context"
	"net/http"

	"portico/graph/view"
	"portico/model"
)

// lockBody is the body of POST /spaces/:spaceId/lock.
type lockBody struct {
	Name      string  `json:"name"`
	Seconds   *int    `json:"seconds"`
	LockToken *string `json:"lock_token"`
}

// lockSpace handles POST /spaces/:spaceId/lock, which acquires or renews the lock.
func (a *api) lockSpace(w http.ResponseWriter, r *http.Request) error {
	var body lockBody
	if err := a.decode(w, r, &body); err != nil {
		return err
	}
	locked, err := a.resolver.Mutation().LockSpace(r.Context(), model.LockSpace{
		SpaceID: pathValue(r, "spaceId"), Name: body.Name, Seconds: body.Seconds, LockToken: body.LockToken,
	})
	if err != nil {
		return err
	}
	return respondOK(w, view.NewHeldLock(locked))
}

// unlockSpace handles DELETE /spaces/:spaceId/lock.
func (a *api) unlockSpace(w http.ResponseWriter, r *http.Request) error {
	token := r.URL.Query().Get("lock")
	space, err := a.resolver.Mutation().UnlockSpace(r.Context(), model.UnlockSpace{
		SpaceID: pathValue(r, "spaceId"), LockToken: &token, Force: querySwitch(r, "force", false),
	})
	if err != nil {
		return err
	}
	return respondOK(w, view.NewLock(space))
}

// spaceLock handles GET /spaces/:spaceId/lock.
func (a *api) spaceLock(w http.ResponseWriter, r *http.Request) error {
	space, err := a.resolver.Query().Space(r.Context(), pathValue(r, "spaceId"))
	if err != nil {
		return err
	}
	return respondOK(w, view.NewLock(space))
}

// lockContext returns the context of the request with the token of its lock. The token is in the
// query: with a header, browsers would send a preflight.
func lockContext(r *http.Request) context.Context {
	if r.URL.RawQuery == "" { // the usual case: parsing the query allocates
		return r.Context()
	}
	return model.WithLockToken(r.Context(), r.URL.Query().Get("lock"))
}
