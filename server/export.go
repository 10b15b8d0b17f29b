package server

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"portico/graph"
	"portico/graph/export"
	"portico/internal/method"
	"portico/internal/semaphore"
	"portico/model"
	"portico/server/connection"
	"portico/server/observe"
	"portico/web"
)

// The maximum number of exports that this process sends concurrently.
//
// An export reads every object of an account, so a few of them take all of a disk's speed. One whose
// client reads slower than connection.MinResponseRate gives its place to others that wait.
const (
	exportsPerAccount = 2
	exportsInTotal    = 8
	// maxExportWait is how long an export waits for a place.
	maxExportWait = 30 * time.Second
)

// newExports returns the places of exports.
func newExports() semaphore.Room {
	return semaphore.Room{Size: exportsInTotal, Share: exportsPerAccount, MaxWaiting: 1, Floor: connection.MinResponseRate, Grace: connection.ResponseGrace}
}

// exports is the handler of the signed addresses of exports.
type exports struct {
	*application
	sending semaphore.Room
}

// ServeHTTP implements http.Handler.
func (h *exports) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet {
		respondText(w, method.Refuse(w.Header(), http.MethodGet), "Method not allowed\n")
		return
	}
	if err := h.limiter.TakeRequest(r); err != nil {
		h.fail(w, r, err)
		return
	}
	id := strings.TrimPrefix("/"+strings.Trim(r.URL.Path, "/"), graph.ExportPath)
	user, err := h.resolver.LinkedExport(r.Context(), id, r.URL.Query())
	if err != nil {
		h.fail(w, r, err)
		return
	}
	waiting, cancel := context.WithTimeout(r.Context(), maxExportWait)
	defer cancel()
	response, err := h.sending.Respond(waiting, user.ID, w)
	if err != nil {
		h.fail(w, r, &model.Error{
			Code: model.CodeRateLimited, Message: "Too many exports are running. Try again in a minute", RetryAfter: time.Minute,
		})
		return
	}
	defer response.Leave()
	h.send(response, r, user)
}

// fail responds with the error, and logs the error if it is internal.
func (h *exports) fail(w http.ResponseWriter, r *http.Request, err error) {
	model.LogFault(r.Context(), h.Logger, err, "door", "export")
	web.RefuseInText(w, err)
}

// send sends the archive of the account. The status is sent with the first bytes of the archive, so
// a later failure cannot change it. The first bytes are buffered: a failure before them is an
// error.
func (h *exports) send(w http.ResponseWriter, r *http.Request, user *model.User) {
	header := w.Header()
	header.Set("Content-Type", "application/zip")
	header.Set("Content-Disposition", fmt.Sprintf("attachment; filename=\"portico-%s-%s.zip\"", user.ID, model.Now().Format("2006-01-02")))
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	response := observe.RecordStatus(w, r)
	err := export.Write(r.Context(), export.Options{
		DB: h.DB, Store: h.store, Resolver: h.resolver, ServerURL: h.BaseURL(), User: user,
		Check: func(ctx context.Context) error { return h.resolver.CheckExport(ctx, user) },
	}, response)
	if err == nil {
		return
	}
	if response.Status() == 0 {
		header.Del("Content-Disposition")
		h.fail(w, r, err)
		return
	}
	model.LogFault(r.Context(), h.Logger, err, "door", "export", "user_id", user.ID)
	panic(http.ErrAbortHandler) // closes the connection, so that the client sees an incomplete archive
}

// Export writes everything that an account owns to out, as a zip, for an operator. The program needs
// its database only.
func (p *Program) Export(ctx context.Context, user *model.User, out io.Writer) error {
	store, err := p.openStore(ctx)
	if err != nil {
		return err
	}
	resolver := graph.New(graph.Options{DB: p.DB, Store: store, Logger: p.Logger, Settings: p.resolverSettings()})
	if err := resolver.RecordExport(ctx, user); err != nil {
		return err
	}
	return export.Write(ctx, export.Options{DB: p.DB, Store: store, Resolver: resolver, ServerURL: p.BaseURL(), User: user}, out)
}
