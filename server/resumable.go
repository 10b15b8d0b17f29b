package server

import (
	"net/http"

	"github.com/go-chi/chi/v5"

	"portico/internal/semaphore"
	"portico/model"
	"portico/rest/tus"
	"portico/server/observe"
)

// resumableUploads returns the handler of resumable uploads, with their route for metrics.
//
// The id of an upload is the right to know it, so metrics and traces have the pattern of the route
// only.
func (a *application) resumableUploads(sending *semaphore.Room) (http.Handler, error) {
	uploads, err := tus.New(tus.Options{
		Resolver: a.resolver, Keys: a.Keys, Session: a.uploader, Limiter: a.limiter, Sending: sending, BaseURL: a.BaseURL(), MaxFileSize: a.maxFileSize(),
		Logger: a.Logger,
	})
	if err != nil {
		return nil, err
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if route := chi.RouteContext(r.Context()); route != nil {
			route.RoutePatterns = []string{observe.ResumableRoute}
		}
		uploads.ServeHTTP(w, r)
	}), nil
}

// uploader returns the caller of a resumable upload by the session of the browser. No upload changes
// the session, so no response sets its cookie.
func (a *application) uploader(r *http.Request) (*model.Caller, error) { return a.site.Caller(nil, r) }
