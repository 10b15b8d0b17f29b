package supersplat

import (
	"crypto/hkdf"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/go-chi/chi/v5"

	"portico/auth"
	"portico/graph"
	"portico/internal/cors"
	"portico/internal/counter"
	"portico/internal/method"
	"portico/internal/semaphore"
	"portico/limit"
	"portico/model"
)

// prefix is the prefix of the API.
const prefix = "/api/supersplat/v1"

// maxBody is more than the list of all parts of an upload takes.
const maxBody = 1 << 20

// Options are the dependencies and settings of the door. All except Limiter must be set.
type Options struct {
	// Resolver executes the operations.
	Resolver *graph.Resolver
	// Keys finds the account of a request by its key.
	Keys *auth.Keys
	// Limiter counts the requests. Nil means no limit.
	Limiter *limit.Limiter
	// Sending has a place for each request that sends bytes (graph.NewSendingRoom).
	Sending *semaphore.Room
	// BaseURL is the public address of the server, without a final slash.
	BaseURL string
	// Secret signs the addresses of parts. All processes of the server have the same.
	Secret []byte
	// Logger logs each internal error once.
	Logger *slog.Logger
}

type door struct {
	Options
	signingKey []byte
	refused    *counter.Attempts // parts that were not stored, by account; nil means no limit
}

// signatureLabel separates the signing key from other keys that are derived from the server's
// secret. Change it when a signature covers other fields.
const signatureLabel = "portico supersplat part signature v1"

// New returns the handler of every path below /api/supersplat.
func New(o Options) (http.Handler, error) {
	key, err := hkdf.Key(sha256.New, o.Secret, nil, signatureLabel, sha256.Size)
	if err != nil {
		return nil, fmt.Errorf("supersplat: derive the signing key: %w", err)
	}
	d := &door{Options: o, signingKey: key}
	if o.Limiter != nil {
		d.refused = counter.NewAttempts(maxRefusedParts, refusedWindow)
	}
	policy := cors.API()
	policy.Headers += ", idempotency-key"
	policy.Exposed += ", ETag, Location"
	return policy.Handler(d.router()), nil
}

// endpoint is one method of a path.
type endpoint struct {
	// operation is the operation of GraphQL with the same effect. Requests count in its scope;
	// without an operation only in the limit of all requests.
	operation string
	handle    handler
}

// handler responds to a request, or returns an error and writes nothing.
type handler func(w http.ResponseWriter, r *http.Request) error

// routes returns the endpoints below the prefix. All need a key.
func (d *door) routes() map[string]map[string]endpoint {
	return map[string]map[string]endpoint{
		"/me":                        {"GET": {"viewer", d.me}},
		"/splats":                    {"GET": {"spaces", d.splats}},
		"/splats/{splatId}":          {"GET": {"space", d.splat}},
		"/splats/{splatId}/settings": {"GET": {"supersplatSettings", d.settings}, "PUT": {"importSupersplatSettings", d.importSettings}},
		"/splats/uploads":            {"POST": {"createUpload", d.createUpload}},
		"/splats/uploads/{uploadId}": {"GET": {"", d.upload}},
		"/splats/uploads/{uploadId}/part-upload-urls": {"POST": {"", d.partURLs}},
		"/splats/uploads/{uploadId}/complete":         {"POST": {"completeUpload", d.complete}},
	}
}

// router returns the handler of all paths. As in package rest, chi routes by the path only.
func (d *door) router() http.Handler {
	mux := chi.NewRouter()
	mux.Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			route := chi.RouteContext(r.Context())
			route.RouteMethod, route.RoutePath = http.MethodGet, r.URL.EscapedPath()
			next.ServeHTTP(w, r)
		})
	})
	keyed := d.Keys.Bearer(d.refuseUnauthenticated)
	mux.NotFound(keyed(d.adapt(d.limited(endpoint{"", noEndpoint}))).ServeHTTP)
	for path, methods := range d.routes() {
		mux.Get(prefix+path, keyed(d.adapt(d.serve(methods))).ServeHTTP)
	}
	mux.Get(graph.SplatPartPath+"{uploadId}/{number}", d.adapt(d.part))
	return mux
}

// serve returns the handler of a path with a key, which calls the endpoint of the method.
func (d *door) serve(methods map[string]endpoint) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		name := r.Method
		if name == http.MethodHead {
			name = http.MethodGet // net/http omits the body
		}
		e, ok := methods[name]
		if !ok {
			allowed := append(slices.Collect(maps.Keys(methods)), http.MethodOptions)
			e.handle = func(w http.ResponseWriter, _ *http.Request) error { return refuseMethod(w, allowed...) }
		}
		return d.limited(e)(w, r)
	}
}

// limited counts a request before the endpoint handles it.
func (d *door) limited(e endpoint) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if err := d.Limiter.Take(r.Context(), d.Limiter.Subject(r), limit.ScopeOf(e.operation)); err != nil {
			return err
		}
		return e.handle(w, r)
	}
}

// refuseUnauthenticated handles a request without a valid key, which counts in the limit of all
// requests.
func (d *door) refuseUnauthenticated(w http.ResponseWriter, r *http.Request, err error) {
	if model.CodeOf(err) == model.CodeUnauthenticated { // other errors are internal
		if limited := d.Limiter.TakeRequest(r); limited != nil {
			err = limited
		}
	}
	d.fail(w, r, err)
}

func noEndpoint(http.ResponseWriter, *http.Request) error {
	return model.NotFound("Endpoint not found")
}

func refuseMethod(w http.ResponseWriter, allowed ...string) error {
	return respond(w, method.Refuse(w.Header(), method.WithHead(allowed...)...), refusal{"Method not allowed"})
}

// The limits of parts that are refused or break off. Each costs the server a signature, or some
// queries. Parts that are stored do not count.
const (
	maxRefusedParts = 300
	refusedWindow   = time.Minute
)
