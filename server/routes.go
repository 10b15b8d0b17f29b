package server

import (
	"net/http"
	"strings"

	"portico/web"
)

// routes selects a handler by the path. It is not an http.ServeMux, which redirects a path with a
// double slash: our paths never redirect. The handler of a tree routes the paths below it.
//
// It compares without empty segments, so //graphql/ is /graphql. The handlers get the path as it
// was sent.
type routes struct {
	pages map[string]http.Handler // by the whole path
	trees map[string]http.Handler // by the first segment of the path
	other http.Handler            // for all other paths
}

// ServeHTTP implements http.Handler.
func (h routes) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimPrefix(web.WithoutEmptySegments(r.URL.Path), "/")
	if page, ok := h.pages[path]; ok {
		page.ServeHTTP(w, r)
		return
	}
	first, _, _ := strings.Cut(path, "/")
	if tree, ok := h.trees[first]; ok {
		tree.ServeHTTP(w, r)
		return
	}
	h.other.ServeHTTP(w, r)
}
