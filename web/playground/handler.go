package playground

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"strings"

	"portico/internal/method"
	"portico/web/asset"
)

// root is the path of the page. Its files are below this path.
const root = "/playground"

// policy is the Content-Security-Policy of the page. It allows no content from other hosts. The one
// inline style, allowed by its hash, is the style with which dialogs and menus of GraphiQL stop the
// page behind them from scrolling. The images are data: URLs in the style sheet.
const policy = "default-src 'none'; script-src 'self'; " +
	"style-src 'self' 'sha256-Y/huXlwoYkVyQlxwSVcCi1RCDGDCSVBzDt0hYP9qlTc='; connect-src 'self'; img-src data:; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

//go:embed files page
var embedded embed.FS

// Options are the settings of the page.
type Options struct {
	// NoIntrospection says that GraphQL refuses introspection. The page then shows no
	// documentation, and does not request the schema.
	NoIntrospection bool
}

// New returns the handler of /playground and the paths below it. The page sends operations to
// /graphql on the origin from which the browser loaded it, so that it works behind proxies. An
// error is a programmer's mistake in the embedded files.
func New(o Options) (http.Handler, error) {
	h := handler{}
	t, err := template.New("page.html").Funcs(template.FuncMap{"address": h.add}).ParseFS(embedded, "page/page.html")
	if err != nil {
		return nil, fmt.Errorf("parse the playground: %w", err)
	}
	var page bytes.Buffer
	if err := t.Execute(&page, o); err != nil {
		return nil, fmt.Errorf("render the playground: %w", err)
	}
	h[root] = asset.New(page.Bytes(), "text/html; charset=utf-8", "no-cache")
	licences, err := embedded.ReadFile("files/LICENSES") // the licences require us to serve them too
	h[root+"/LICENSES"] = asset.New(licences, "text/plain; charset=utf-8", "no-cache")
	return h, err
}

// handler is the page and its files, by path.
type handler map[string]*asset.File

// add adds an embedded file and returns its path. The path contains a hash of the content, so that
// browsers can cache the file forever.
func (h handler) add(name string) (address string, err error) {
	f, err := open(name)
	if err != nil {
		return "", err
	}
	stem, extension, _ := strings.Cut(name, ".")
	address = root + "/" + stem + "-" + f.Hash() + "." + extension
	h[address] = f
	return address, nil
}

// ServeHTTP implements http.Handler. It ignores slashes at both ends of the path instead of
// redirecting.
func (h handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f, ok := h["/"+strings.Trim(r.URL.Path, "/")]
	switch {
	case !ok:
		refuse(w, http.StatusNotFound, "Not found")
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		refuse(w, method.Refuse(w.Header(), http.MethodGet, http.MethodHead), "Method not allowed")
	default:
		setSecurityHeaders(w.Header())
		f.ServeHTTP(w, r)
	}
}

// setSecurityHeaders sets the security headers of the page and its files.
func setSecurityHeaders(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Frame-Options", "DENY") // for browsers without frame-ancestors
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
}

// refuse responds in plain text.
func refuse(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Cache-Control", "no-store")
	http.Error(w, text, status)
}
