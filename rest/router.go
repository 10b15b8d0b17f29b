package rest

import (
	"cmp"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/go-chi/chi/v5"

	"portico/auth"
	"portico/graph"
	"portico/graph/view"
	"portico/internal/cors"
	"portico/internal/semaphore"
	"portico/limit"
)

// The prefixes of the API. Every path exists under both.
const (
	prefix    = "/v1"
	apiPrefix = "/api/v1"
)

// defaultMaxBody is enough for the entity_data of any scene. Uploads go to presigned URLs, and
// change sets have a limit of their own, maxChangeSet.
const defaultMaxBody = 1 << 20

// Options are the dependencies and settings of the door. All except Limiter, MaxBody and TempFolder
// must be set.
type Options struct {
	// Resolver executes the operations.
	Resolver *graph.Resolver
	// Keys finds the account of a request. This happens before routing, so that a client without
	// a key cannot find out which routes exist.
	Keys *auth.Keys
	// Limiter counts the requests (API section 8). Doors with the same Limiter share the limits.
	// Nil means no limit.
	Limiter *limit.Limiter
	// BaseURL is the public address of the server. The response to a request without a valid key
	// has the address of the OAuth metadata, which is below it.
	BaseURL string
	// Logger logs each internal error once.
	Logger *slog.Logger
	// MaxBody is the maximum size of a request body in bytes; 0 means 1 MiB.
	MaxBody int64
	// TempFolder is the folder for the bodies of change sets while they are received and applied;
	// empty means os.TempDir.
	TempFolder string
}

// api handles REST requests. Its fields are set once.
type api struct {
	resolver   *graph.Resolver
	limiter    *limit.Limiter
	base       string
	log        *slog.Logger
	maxBody    int64
	tempFolder string
	// largeBodies has places for the large bodies of change sets in memory: one for each account, of
	// which maxWaitingBodies more may wait.
	largeBodies semaphore.Room
	pulls       pulls
}

// New returns the handler of every path under /v1 and /api/v1. It expects the whole path of the
// request, with the prefix.
func New(o Options) http.Handler {
	a := &api{
		resolver: o.Resolver, limiter: o.Limiter, base: strings.TrimSuffix(o.BaseURL, "/"),
		log: o.Logger, maxBody: cmp.Or(o.MaxBody, defaultMaxBody),
		tempFolder: o.TempFolder, largeBodies: newLargeBodies(), pulls: newPulls(),
	}
	// RequestID and CORS are outermost, so that every response has their headers, including the
	// responses to a preflight and to a panic.
	keyed := o.Keys.Bearer(a.refuseUnauthenticated)(a.router())
	return RequestID(cors.API().Handler(a.recoverPanic(StripEmptySegments(a.keylessRouter(keyed)))))
}

// endpoint is one method of a path.
type endpoint struct {
	// operation is the operation of GraphQL with the same effect. Requests count in its scope;
	// without an operation only in the limit of all requests.
	operation string
	handle    handler
	// countsInHandler means that the handler calls count, because the scope depends on the body: a PUT
	// of a space that changes its privacy counts as a change of privacy.
	countsInHandler bool
	// takesLock means that the token of a lock is in the query, which checkQuery checks.
	takesLock bool
	// switches are the parameters of the query that are on or off, which checkQuery checks.
	switches []string
	// keyless means that the endpoint also handles requests without an Authorization header. Splat
	// trainers embed these lists in public pages. An invalid key is refused on every route.
	keyless bool
}

// methods are the endpoints of a path. GET serves HEAD as well.
type methods map[string]endpoint

// routes returns the endpoints of the API: every path below a prefix, with its methods (API
// sections 4 and 8).
//
// The operation names the row of the table in package limit, so a route without one counts in the
// limit of all requests only.
func (a *api) routes() map[string]methods {
	return map[string]methods{
		"/files":                 {"GET": {operation: "files", handle: a.files}, "DELETE": {operation: "deleteFile", handle: a.deleteFile}},
		"/files/upload":          {"POST": {operation: "createUpload", handle: a.createUpload}},
		"/files/upload-complete": {"POST": {operation: "completeUpload", handle: a.completeUpload}},
		"/jobs":                  {"GET": {operation: "jobs", handle: a.jobs}},
		"/jobs/{jobId}":          {"GET": {operation: "job", handle: a.job}},
		"/user/me":               {"GET": {operation: "viewer", handle: a.viewer}},
		"/avatars":               {"GET": {operation: "avatars", handle: a.avatars}},
		"/avatars/splat":         {"POST": {operation: "createAvatar", handle: a.createAvatar}},
		"/avatars/{avatarId}":    {"DELETE": {operation: "deleteAvatar", handle: a.deleteAvatar}},
		"/user/create-space":     {"POST": {operation: "createSpace", handle: a.createUserSpace}},
		"/spaces":                {"GET": {operation: "spaces", handle: a.spaces}, "POST": {operation: "createSpace", handle: a.createSpace}},
		"/spaces/update-privacy": {"POST": {operation: "updateSpacePrivacy", handle: a.updateSpacePrivacy}},
		"/spaces/{spaceId}": {
			"GET": {operation: "space", handle: a.space}, "DELETE": {operation: "deleteSpace", handle: a.deleteSpace},
			"PUT": {handle: a.updateSpace, countsInHandler: true},
		},
		"/splatjs/gallery":         {"GET": {operation: "publicSpaces", handle: a.sharedSpaces, keyless: true}},
		"/splatjs/share/{spaceId}": {"GET": {operation: "space", handle: a.sharedSpace, keyless: true}},
		"/splatjs/mine":            {"GET": {operation: "spaces", handle: a.ownSharedSpaces}},
		"/spaces/{spaceId}/lock": {
			"GET": {operation: "space", handle: a.spaceLock}, "POST": {operation: "lockSpace", handle: a.lockSpace},
			"DELETE": {operation: "unlockSpace", handle: a.unlockSpace, takesLock: true, switches: []string{"force"}},
		},
		"/spaces/{spaceId}/screenshot":                {"GET": {operation: "spaceScreenshot", handle: a.spaceScreenshot}},
		"/spaces/{spaceId}/pull":                      {"POST": {operation: "exportSpace", handle: a.exportSpace, switches: []string{"assets"}}},
		"/spaces/{spaceId}/changeset":                 {"POST": {operation: "applyChanges", handle: a.applyChanges, takesLock: true, switches: []string{"dryRun"}}},
		"/spaces/{spaceId}/apply":                     {"POST": {operation: "applyChanges", handle: a.applyArchive, takesLock: true, switches: []string{"dryRun", "force"}}},
		"/spaces/{spaceId}/versions":                  {"GET": {operation: "spaceVersions", handle: a.spaceVersions}},
		"/spaces/{spaceId}/versions/{number}":         {"PUT": {operation: "nameVersion", handle: a.nameVersion}},
		"/spaces/{spaceId}/versions/{number}/changes": {"GET": {operation: "spaceChanges", handle: a.spaceChanges}},
		"/spaces/{spaceId}/versions/{number}/restore": {"POST": {operation: "restoreVersion", handle: a.restoreVersion, takesLock: true}},
		"/spaces/{spaceId}/entities": {
			"GET":  {operation: "entities", handle: a.ownedEntities},
			"POST": {operation: "createEntity", handle: a.createEntity, takesLock: true},
		},
		"/spaces/{spaceId}/entities/{entityId}": {
			"GET":    {operation: "entity", handle: a.entity},
			"PUT":    {operation: "updateEntity", handle: a.updateEntity, takesLock: true},
			"DELETE": {operation: "deleteEntity", handle: a.deleteEntity, takesLock: true},
		},
	}
}

// router returns the handler of all paths. Each path exists under both prefixes, and handles
// all methods.
func (a *api) router() http.Handler {
	mux := chi.NewRouter()
	mux.Use(routeByPath)
	mux.NotFound(a.adapt(a.limited(endpoint{handle: noEndpoint})))
	for path, m := range a.routes() {
		mux.Get(prefix+path, a.adapt(a.serve(m)))
		mux.Get(apiPrefix+path, a.adapt(a.serve(m)))
	}
	return mux
}

// keylessRouter returns the handler of requests before their key is checked: reads of a keyless
// endpoint without an Authorization header. It passes all other requests to keyed.
func (a *api) keylessRouter(keyed http.Handler) http.Handler {
	mux := chi.NewRouter()
	mux.Use(routeByPath)
	mux.NotFound(keyed.ServeHTTP)
	for path, m := range a.routes() {
		if m[http.MethodGet].keyless {
			mux.Get(prefix+path, a.adapt(a.serve(m)))
			mux.Get(apiPrefix+path, a.adapt(a.serve(m)))
		}
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		isRead := r.Method == http.MethodGet || r.Method == http.MethodHead
		if isRead && r.Header.Get("Authorization") == "" {
			mux.ServeHTTP(w, r)
			return
		}
		keyed.ServeHTTP(w, r)
	})
}

// routeByPath makes chi route by the path only; api.serve then selects the method. Chi would route
// GET /spaces/update-privacy to the space with the id update-privacy, and cannot list the methods
// of a path.
func routeByPath(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		route := chi.RouteContext(r.Context())
		route.RouteMethod = http.MethodGet
		route.RoutePath = r.URL.EscapedPath() // an escaped slash does not separate segments
		next.ServeHTTP(w, r)
	})
}

// serve returns the handler of a path, which calls the endpoint of the request's method.
func (a *api) serve(m methods) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		name := r.Method
		if name == http.MethodHead {
			name = http.MethodGet // net/http omits the body
		}
		e, ok := m[name]
		if !ok {
			e = endpoint{handle: m.refuse}
		}
		return a.limited(e)(w, r)
	}
}

// refuse responds to a request with a method that the path does not have.
func (m methods) refuse(w http.ResponseWriter, _ *http.Request) error {
	allowed := append(slices.Collect(maps.Keys(m)), http.MethodOptions)
	status, body := view.RefuseMethod(w.Header(), allowed...)
	return respond(w, status, body)
}

// prefixOf returns the prefix of the request. A client that was configured with one prefix
// must get every path under it.
func prefixOf(r *http.Request) string {
	if strings.HasPrefix(r.URL.Path, apiPrefix+"/") || r.URL.Path == apiPrefix {
		return apiPrefix
	}
	return prefix
}
