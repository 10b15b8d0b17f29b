package server

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/go-chi/chi/v5"

	"portico/storage"
	"portico/web/plugin"
)

// filesRoute is the route of requests for files in metrics and traces.
const filesRoute = "/files/*"

// originRouter routes requests to the application or to the files. When isFiles is set,
// files have an origin of their own: no upload is served on the origin of the sign-in
// pages, and no page on the origin of the files.
type originRouter struct {
	// isFiles reports whether a request is for the origin of the files. It is nil if files
	// share the origin of the application.
	isFiles func(*http.Request) bool
	// path is the escaped path that files are below, without a final slash.
	path string
	// files answers the addresses of files. It is nil if clients load them from a bucket.
	files http.Handler
	// app answers all other requests on the origin of the application, and keyed on the
	// origin of the files: it has the doors that need a key, and no pages.
	app, keyed http.Handler
	// plugins answers the address of the frame of plugins on every origin. Pages use it on the
	// origin of the files, where that is ours.
	plugins http.Handler
}

// newOriginRouter returns the router for the configured origins.
func (p *Program) newOriginRouter(app, keyed, plugins http.Handler) *originRouter {
	s := &originRouter{path: filesPath, app: app, keyed: keyed, plugins: plugins}
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
func (s *originRouter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path == plugin.Path:
		// Cookies ignore ports, so these may belong to another application.
		r.Header.Del("Cookie")
		s.plugins.ServeHTTP(w, r)
	case s.servesFile(r):
		if route := chi.RouteContext(r.Context()); route != nil {
			route.RoutePatterns = []string{filesRoute}
		}
		s.files.ServeHTTP(w, r)
	case s.isFiles != nil && s.isFiles(r):
		// Cookies ignore ports, so these may belong to another application.
		r.Header.Del("Cookie")
		s.keyed.ServeHTTP(w, r)
	default:
		s.app.ServeHTTP(w, r)
	}
}

// servesFile reports whether the request is for a file, on the origin of the files.
func (s *originRouter) servesFile(r *http.Request) bool {
	return s.files != nil && strings.HasPrefix(r.URL.EscapedPath(), s.path+"/") && (s.isFiles == nil || s.isFiles(r))
}

// isUpload reports whether the body of the request is a file. The store, and package tus,
// limit the time of such bodies. Older addresses of uploads are on the origin of the application.
func (s *originRouter) isUpload(r *http.Request) bool {
	if r.Method == http.MethodPatch {
		return isResumable(r.URL.Path)
	}
	return r.Method == http.MethodPut && (s.servesFile(r) || strings.HasPrefix(strings.TrimLeft(r.URL.Path, "/"), "files/"))
}

// formerFileAddresses answers below /files on the origin of the application. Files are there
// if they have no origin of their own; otherwise older addresses redirect to it.
func (p *Program) formerFileAddresses() http.Handler {
	if files, ok := p.store.(http.Handler); ok && p.servesFiles() && p.isFiles() == nil {
		return files
	}
	if disk, ok := p.store.(*storage.Disk); ok {
		return disk.Former()
	}
	return http.HandlerFunc(notFound)
}

// notOnFilesOrigin answers requests for pages of the application on the origin of the files.
func (p *Program) notOnFilesOrigin() http.Handler {
	text := "Not found. Files are served here; the pages are at " + p.BaseURL() + "\n"
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { plainAnswer(w, http.StatusNotFound, text) })
}

// notFound answers 404 as text.
func notFound(w http.ResponseWriter, _ *http.Request) {
	plainAnswer(w, http.StatusNotFound, "Not found\n")
}
