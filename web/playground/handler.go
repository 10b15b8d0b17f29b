package playground

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"strings"

	"portico/web/asset"
)

// root is the address of the page; its files are below.
const root = "/playground"

// policy is the Content-Security-Policy of the page: nothing comes from elsewhere.
// The one inline style, known by its hash, is what a dialog or menu of GraphiQL keeps
// the page behind from scrolling with. The style sheet holds its few images itself.
const policy = "default-src 'none'; script-src 'self'; " +
	"style-src 'self' 'sha256-Y/huXlwoYkVyQlxwSVcCi1RCDGDCSVBzDt0hYP9qlTc='; connect-src 'self'; img-src data:; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

//go:embed files page
var embedded embed.FS

// Options says how the page is served.
type Options struct {
	// NoIntrospection is whether GraphQL keeps its schema to itself: the page does
	// without documentation then, and does not ask for it.
	NoIntrospection bool
}

// New returns the handler of /playground and of what is below. The page asks
// /graphql of the origin that it was loaded from, whatever that is behind proxies.
// An error is a mistake in what is embedded.
func New(o Options) (http.Handler, error) {
	h := handler{}
	t, err := template.New("page.html").Funcs(template.FuncMap{"address": h.add}).ParseFS(embedded, "page/page.html")
	if err != nil {
		return nil, fmt.Errorf("parse the playground: %w", err)
	}
	var page bytes.Buffer
	if err := t.Execute(&page, o); err != nil {
		return nil, fmt.Errorf("make the playground: %w", err)
	}
	h[root] = asset.New(page.Bytes(), "text/html; charset=utf-8", "no-cache")
	licences, err := embedded.ReadFile("files/LICENSES") // which ask to go with the files
	h[root+"/LICENSES"] = asset.New(licences, "text/plain; charset=utf-8", "no-cache")
	return h, err
}

// handler is the page and its files by their addresses.
type handler map[string]*asset.File

// add adds an embedded file and returns its address, which changes with its
// content: browsers may keep it for good.
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

// ServeHTTP implements http.Handler. It never redirects: a slash more at an end of
// the path makes no difference.
func (h handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f, ok := h["/"+strings.Trim(r.URL.Path, "/")]
	switch {
	case !ok:
		refuse(w, http.StatusNotFound, "Not found\n")
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		refuse(w, http.StatusMethodNotAllowed, "Method not allowed\n")
	default:
		protect(w.Header())
		f.ServeHTTP(w, r)
	}
}

// protect sets the headers of everything that a browser shows or runs.
func protect(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Frame-Options", "DENY") // for browsers that do not know frame-ancestors
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
}

// refuse answers in plain text.
func refuse(w http.ResponseWriter, status int, text string) {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text)) // fails when the client has gone
}
