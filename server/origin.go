package server

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/go-chi/chi/v5"

	"portico/rest/tus"
	"portico/server/observe"
	"portico/storage/disk"
	"portico/web/plugin"
)

// originRouter routes requests to the application or to the files. If onFilesOrigin is set, the
// files have an origin of their own: no upload is served on the origin of the sign-in pages, and
// no page on the origin of the files.
//
// Why two origins: an uploaded HTML or SVG file that a browser ran on the origin of the sign-in
// pages could use the person's session. Files are served as inert types too, so this is the second
// guard.
//
//	path                   on the application's origin        on the files' origin
//	a file                 a redirect, or the file if shared  the file
//	the frame of plugins   the frame                          the same frame
//	API, probes            the doors                          the doors, without cookies
//	a page                 the page                           404
type originRouter struct {
	// onFilesOrigin reports whether a request is for the origin of the files. It is nil if files
	// share the origin of the application.
	onFilesOrigin func(*http.Request) bool
	// path is the escaped path that files are below, without a final slash.
	path string
	// files serves the addresses of files. It is nil if clients load them from a bucket.
	files http.Handler
	// app handles all other requests on the origin of the application. apiOnly handles them on
	// the origin of the files, with the doors that need a key and without pages.
	app, apiOnly http.Handler
	// plugins serves the address of the frame of plugins on every origin. Pages use the
	// address on the origin of the files if this server handles it (see pluginFrame).
	plugins http.Handler
}

// newOriginRouter returns the router for the configured origins.
func (p *Program) newOriginRouter(app, apiOnly, plugins http.Handler) *originRouter {
	o := &originRouter{path: filesPath, app: app, apiOnly: apiOnly, plugins: plugins}
	files, ok := p.store.(http.Handler)
	if !ok || !p.servesFiles() {
		return o
	}
	o.files, o.onFilesOrigin = files, p.filesOriginMatcher()
	if base, err := url.Parse(p.FilesURL()); err == nil && base.Host != "" {
		o.path = base.EscapedPath()
	}
	return o
}

// ServeHTTP implements http.Handler.
func (o *originRouter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path == plugin.Path:
		// Cookies ignore ports, so these may belong to another application.
		r.Header.Del("Cookie")
		o.plugins.ServeHTTP(w, r)
	case o.servesFile(r):
		if route := chi.RouteContext(r.Context()); route != nil {
			route.RoutePatterns = []string{observe.FilesRoute}
		}
		o.files.ServeHTTP(w, r)
	case o.onFilesOrigin != nil && o.onFilesOrigin(r):
		// Cookies ignore ports, so these may belong to another application.
		r.Header.Del("Cookie")
		o.apiOnly.ServeHTTP(w, r)
	default:
		o.app.ServeHTTP(w, r)
	}
}

// servesFile reports whether the request is for a file, on the origin of the files.
func (o *originRouter) servesFile(r *http.Request) bool {
	return o.files != nil && strings.HasPrefix(r.URL.EscapedPath(), o.path+"/") && (o.onFilesOrigin == nil || o.onFilesOrigin(r))
}

// isUpload reports whether the body of the request is a file. The store and package tus limit the
// time of such bodies. Addresses of uploads that older versions issued are on the origin of the
// application.
func (o *originRouter) isUpload(r *http.Request) bool {
	if observe.IsResumable(r.URL.Path) {
		return tus.Method(r) == http.MethodPatch
	}
	if observe.IsSplatPart(r.URL.Path) {
		return r.Method == http.MethodPut
	}
	return r.Method == http.MethodPut && (o.servesFile(r) || strings.HasPrefix(strings.TrimLeft(r.URL.Path, "/"), "files/"))
}

// filesOnAppOrigin returns the handler of /files on the origin of the application. It serves the
// files if they share this origin. Otherwise it redirects the addresses that older versions issued
// to the origin of the files.
func (p *Program) filesOnAppOrigin() http.Handler {
	if files, ok := p.store.(http.Handler); ok && p.servesFiles() && p.filesOriginMatcher() == nil {
		return files
	}
	if files, ok := p.store.(*disk.Store); ok {
		return files.FormerHandler()
	}
	return http.HandlerFunc(notFound)
}

// notOnFilesOrigin handles requests for pages of the application on the origin of the files.
func (p *Program) notOnFilesOrigin() http.Handler {
	text := "Not found. Files are served here; the pages are at " + p.BaseURL() + "\n"
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { respondText(w, http.StatusNotFound, text) })
}

// filesOriginMatcher returns a function that reports, by the Host header, whether a request is for
// the origin of the files. It returns nil if files share the origin of the application.
//
// It looks at Host, which a browser cannot forge for a page of its own. A client that sends another
// Host only chooses which of the two handlers gets it.
func (p *Program) filesOriginMatcher() func(r *http.Request) bool {
	base, errBase := url.Parse(p.BaseURL())
	files, errFiles := url.Parse(p.FilesURL())
	if errBase != nil || errFiles != nil || files.Host == "" {
		return nil
	}
	baseName, basePort := splitHost(base.Host)
	filesName, filesPort := splitHost(files.Host)
	if baseName != filesName {
		// Without the port, which proxies may omit.
		return func(r *http.Request) bool {
			name, _ := splitHost(r.Host)
			return name == filesName
		}
	}
	if basePort == filesPort {
		return nil
	}
	return func(r *http.Request) bool {
		name, port := splitHost(r.Host)
		return name == filesName && port == filesPort
	}
}

// splitHost returns the name and the port of a host for a comparison. The name is in lower case,
// and without the dot that ends an absolute name (RFC 3986 section 3.2.2). Browsers send that dot
// in Host, and "localhost." resolves to the same address as localhost.
func splitHost(host string) (name, port string) {
	u := url.URL{Host: host}
	return strings.TrimSuffix(strings.ToLower(u.Hostname()), "."), u.Port()
}
