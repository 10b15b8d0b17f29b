package server

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/go-chi/chi/v5"

	"portico/storage"
)

// filesRoute is what requests for files are called in metrics and traces.
const filesRoute = "/files/*"

// sites divides the requests between the application and the files, which have an
// origin of their own where isFiles is set: nothing uploaded is served on that of the
// pages that people sign in at, and none of these pages on that of the files.
type sites struct {
	// isFiles reports whether a request is for the origin of the files; nil where
	// files are below the application's.
	isFiles func(*http.Request) bool
	// path is where the files are on their origin, escaped, without a final slash.
	path string
	// files answers the addresses of files; nil where they are in a bucket.
	files http.Handler
	// app answers everything else, and what is left on the origin of the files keyed:
	// the doors whose callers are known by a key.
	app, keyed http.Handler
}

// sites returns the division that the settings ask for.
func (p *Program) sites(app, keyed http.Handler) *sites {
	s := &sites{path: filesPath, app: app, keyed: keyed}
	files, ok := p.store.(http.Handler)
	if !ok || !p.servesFiles() {
		return s
	}
	s.files, s.isFiles = files, p.isFiles()
	if base, err := url.Parse(p.FilesURL()); err == nil && base.Host != "" {
		s.path = base.EscapedPath()
	}
	return s
}

// ServeHTTP implements http.Handler.
func (s *sites) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case s.servesFile(r):
		if route := chi.RouteContext(r.Context()); route != nil {
			route.RoutePatterns = []string{filesRoute}
		}
		s.files.ServeHTTP(w, r)
	case s.isFiles != nil && s.isFiles(r):
		// Cookies ignore ports: one may be another application's.
		r.Header.Del("Cookie")
		s.keyed.ServeHTTP(w, r)
	default:
		s.app.ServeHTTP(w, r)
	}
}

// servesFile reports whether the request is for a file, at the origin of the files.
func (s *sites) servesFile(r *http.Request) bool {
	return s.files != nil && strings.HasPrefix(r.URL.EscapedPath(), s.path+"/") && (s.isFiles == nil || s.isFiles(r))
}

// isUpload reports whether the body of the request is a file, whose pace the store
// bounds. Uploads may go to where files were before they had an origin of their own.
func (s *sites) isUpload(r *http.Request) bool {
	return r.Method == http.MethodPut && (s.servesFile(r) || strings.HasPrefix(strings.TrimLeft(r.URL.Path, "/"), "files/"))
}

// formerFiles answers below /files on the origin of the application.
func (p *Program) formerFiles() http.Handler {
	if files, ok := p.store.(http.Handler); ok && p.servesFiles() && p.isFiles() == nil {
		return files
	}
	if disk, ok := p.store.(*storage.Disk); ok {
		return disk.Former()
	}
	return http.HandlerFunc(notFound)
}

// pageElsewhere answers for pages of the application on the origin of the files.
func (p *Program) pageElsewhere() http.Handler {
	text := "Not found. Files are served here; the pages are at " + p.BaseURL() + "\n"
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { plainAnswer(w, http.StatusNotFound, text) })
}

// notFound answers for what is not there.
func notFound(w http.ResponseWriter, _ *http.Request) {
	plainAnswer(w, http.StatusNotFound, "Not found\n")
}
