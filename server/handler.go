package server

import (
	"maps"
	"net/http"
	"strings"

	"portico/docs"
	"portico/graph"
	"portico/graph/door"
	"portico/internal/cors"
	"portico/mcp"
	"portico/rest"
	"portico/server/connection"
	"portico/server/observe"
	"portico/supersplat"
	"portico/web"
	"portico/web/playground"
	"portico/web/plugin"
)

// handler returns the handler of all requests. From the outside in, each request gets an origin,
// deadlines for its body and its response, an id, a line in the log, metrics, a span, and a response
// even if its handler panics.
func (a *application) handler() (http.Handler, error) {
	api, err := a.apiRoutes()
	if err != nil {
		return nil, err
	}
	app, err := a.appRoutes(api)
	if err != nil {
		return nil, err
	}
	plugins, err := plugin.New(a.BaseURL(), a.fileOrigins())
	if err != nil {
		return nil, err
	}
	router := a.newOriginRouter(a.signIn(app), api, plugins)
	observed := observe.LogRequests(a.Logger, a.metrics.CountRequests(a.tracing.TraceRequests(observe.RecoverPanics(a.Logger, router))))
	return observe.Identify(a.proxies, connection.LimitResponseTime(connection.LimitBodyTime(router.isUpload, rest.RequestID(observed)))), nil
}

// apiRoutes returns the routes of the APIs and of the probes, which every origin has. Each door
// applies its own CORS rules, because what a page of another site may do differs between them.
func (a *application) apiRoutes() (routes, error) {
	sending := graph.NewSendingRoom()
	uploads, err := a.resumableUploads(sending)
	if err != nil {
		return routes{}, err
	}
	splats, err := supersplat.New(supersplat.Options{
		Resolver: a.resolver, Keys: a.Keys, Limiter: a.limiter, Sending: sending, BaseURL: a.BaseURL(), Secret: a.secret, Logger: a.Logger,
	})
	if err != nil {
		return routes{}, err
	}
	api := rest.New(rest.Options{
		Resolver: a.resolver, Keys: a.Keys, Limiter: a.limiter, BaseURL: a.BaseURL(), Logger: a.Logger,
		TempFolder: a.Config.DataDir,
	})
	// Not in Streams.EndWithServer: a call that waits for a job ends with Stopping, and all others
	// finish.
	mcpDoor := rest.StripEmptySegments(mcp.New(mcp.Options{
		Resolver: a.resolver, Keys: a.Keys, Limiter: a.limiter, BaseURL: a.BaseURL(), Logger: a.Logger,
		Version: Version(), TempFolder: a.Config.DataDir, Stopping: a.streams.Stopping(),
	}))
	pages, description := a.metricsPages(), docs.Description{BaseURL: a.BaseURL()}
	maps.Copy(pages, map[string]http.Handler{
		"graphql": a.streams.EndWithServer(a.graphQL()), "v1/mcp": mcpDoor, "api/v1/mcp": mcpDoor,
		"openapi.json": cors.API().Handler(description.JSON()), "openapi.yaml": cors.API().Handler(description.YAML()),
	})
	if a.Config.Introspection.On() {
		pages["schema.graphql"] = cors.API().Handler(docs.Schema(door.Schema()))
	}
	trees := map[string]http.Handler{"v1": api, "api": api, "api/supersplat": rest.StripEmptySegments(splats), "uploads": uploads}
	return routes{pages: pages, trees: trees, other: a.notOnFilesOrigin()}, nil
}

// appRoutes returns the routes of the application's origin: the API routes, and the pages. The
// pages of spaces handle every other path, so an address such as /12345678_abc needs no route.
func (a *application) appRoutes(api routes) (routes, error) {
	graphiQL, err := playground.New(playground.Options{NoIntrospection: !a.Config.Introspection.On()})
	if err != nil {
		return routes{}, err
	}
	pages, err := a.pages()
	if err != nil {
		return routes{}, err
	}
	consolePages, err := a.console()
	if err != nil {
		return routes{}, err
	}
	app := routes{pages: maps.Clone(api.pages), trees: maps.Clone(api.trees), other: pages}
	maps.Copy(app.trees, map[string]http.Handler{
		"files": a.filesOnAppOrigin(), "playground": graphiQL, "console": consolePages,
		"exports": &exports{application: a, sending: newExports()},
	})
	return app, nil
}

func (a *application) graphQL() http.Handler {
	return cors.GraphQL().Handler(door.NewHandler(door.HandlerOptions{
		Resolver: a.resolver, Keys: a.Keys, Secret: a.secret, Session: a.site.Caller, LinkVisits: a.site.PageVisits, Limiter: a.limiter, BaseURL: a.BaseURL(),
		NoIntrospection: !a.Config.Introspection.On(), Tracer: a.tracing.Tracer(),
	}))
}

// routes selects a handler by the path. It is not an http.ServeMux, which redirects a path with a
// double slash: our paths never redirect. The handler of a tree routes the paths below it.
//
// It compares without empty segments, so //graphql/ is /graphql. The handlers get the path as it
// was sent.
type routes struct {
	pages map[string]http.Handler // by the whole path
	trees map[string]http.Handler // by the first segment of the path, or by the first two
	other http.Handler            // for all other paths
}

// ServeHTTP implements http.Handler.
func (h routes) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimPrefix(web.WithoutEmptySegments(r.URL.Path), "/")
	if page, ok := h.pages[path]; ok {
		page.ServeHTTP(w, r)
		return
	}
	first, rest, _ := strings.Cut(path, "/")
	second, _, _ := strings.Cut(rest, "/")
	tree, ok := h.trees[first+"/"+second]
	if !ok {
		tree, ok = h.trees[first]
	}
	if ok {
		tree.ServeHTTP(w, r)
		return
	}
	h.other.ServeHTTP(w, r)
}

// respondText sends plain text to people and probes. Clients of the API get JSON.
func respondText(w http.ResponseWriter, status int, text string) {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text)) // fails only when the client has left
}

// notFound responds with 404 as text.
func notFound(w http.ResponseWriter, _ *http.Request) {
	respondText(w, http.StatusNotFound, "Not found\n")
}
