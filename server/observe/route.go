package observe

import (
	"net/http"
	"slices"
	"strings"

	"portico/graph"
	"portico/graph/transport"
	"portico/model"
	"portico/web"
)

// FilesRoute is the route of requests for files in metrics and traces.
const FilesRoute = "/files/*"

// ResumableRoute is the route of resumable uploads in metrics and traces.
const ResumableRoute = graph.ResumablePath + "*"

// methodLabel returns the method, or "other" for an unusual method, so that clients cannot create
// time series.
func methodLabel(method string) string {
	if slices.Contains([]string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}, method) {
		return method
	}
	return "other"
}

// routeLabel returns the pattern of a route of the API, the same for both prefixes, or the
// first segment of another known path. A pattern that ends in * belongs to a mounted router
// that found no route.
func routeLabel(path, pattern string) string {
	if pattern == FilesRoute || pattern == ResumableRoute || (pattern != "" && !strings.HasSuffix(pattern, "*")) {
		return strings.TrimPrefix(pattern, "/api")
	}
	path = strings.TrimPrefix(strings.Trim(web.WithoutEmptySegments(path), "/"), "api/")
	first, rest, _ := strings.Cut(path, "/")
	switch {
	case path == "":
		return "/"
	case model.IsSpaceID(path):
		return "/{spaceId}"
	case path == "v1/mcp":
		return "/v1/mcp"
	case first == "v1":
		return "/v1/*" // not an endpoint
	case rest == "" && slices.Contains([]string{
		"graphql", "playground", "openapi.json", "openapi.yaml", "schema.graphql", "livez", "readyz", "metrics", "login", "signup", "logout", "account", "welcome", "console",
		"register", "authorize", "token", "revoke", "oembed", "sitemap.xml", "robots.txt", "favicon.svg",
	}, first):
		return "/" + first
	case slices.Contains([]string{
		"supersplat", "files", "uploads", "exports", "playground", "console", ".well-known", "login", "account", "pages", "u", "embed",
		"sitemap", "dist", "place",
	}, first):
		return "/" + first + "/*"
	}
	return "other"
}

// IsSplatPart reports whether a path is the address of a part of SuperSplat's API.
func IsSplatPart(path string) bool {
	return strings.HasPrefix("/"+strings.TrimLeft(path, "/"), graph.SplatPartPath)
}

// IsResumable reports whether a path is the address of a resumable upload.
func IsResumable(path string) bool {
	return strings.HasPrefix("/"+strings.TrimLeft(path, "/"), graph.ResumablePath)
}

// IsStream reports whether GraphQL responds with a WebSocket or server-sent events. Many
// clients accept events with every query, and prefer JSON.
func IsStream(r *http.Request) bool {
	return strings.Trim(r.URL.Path, "/") == "graphql" && (transport.WebSocket{}.Supports(r) || transport.SSE{}.Supports(r))
}
