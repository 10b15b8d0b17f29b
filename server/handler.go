package server

import (
	"maps"
	"net/http"

	"portico/docs"
	"portico/graph"
	"portico/internal/cors"
	"portico/internal/semaphore"
	"portico/mcp"
	"portico/rest"
	"portico/web/playground"
	"portico/web/plugin"
)

// handler returns the handler of all requests. From the outside in, each request gets deadlines
// for its body and its response, an id, a line in the log, metrics, a span, and a response even if
// its handler panics.
func (p *Program) handler(streams *streams) (http.Handler, error) {
	api, err := p.apiRoutes(streams)
	if err != nil {
		return nil, err
	}
	app, err := p.appRoutes(api)
	if err != nil {
		return nil, err
	}
	plugins, err := plugin.New(p.BaseURL(), p.fileOrigins())
	if err != nil {
		return nil, err
	}
	router := p.newOriginRouter(p.signIn(app), api, plugins)
	observed := p.logRequests(p.metrics.countRequests(p.tracing.traceRequests(p.recoverPanics(router))))
	return limitResponseTime(limitBodyTime(router.isUpload, rest.RequestID(observed))), nil
}

// apiRoutes returns the routes of the APIs and of the probes, which every origin has. Each door
// applies its own CORS rules, because what a page of another site may do differs between them.
func (p *Program) apiRoutes(streams *streams) (routes, error) {
	graphQL, err := p.graphQL()
	if err != nil {
		return routes{}, err
	}
	uploads, err := p.resumableUploads()
	if err != nil {
		return routes{}, err
	}
	api := rest.New(rest.Options{
		Resolver: p.resolver, Keys: p.Keys, Limiter: p.limiter, BaseURL: p.BaseURL(), Logger: p.Logger,
		TempFolder: p.Config.DataDir,
	})
	// Not in streams.endWithServer: a call that waits for a job ends with Stopping, and all others
	// finish.
	mcpDoor := rest.CleanPath(mcp.New(mcp.Options{
		Resolver: p.resolver, Keys: p.Keys, Limiter: p.limiter, BaseURL: p.BaseURL(), Logger: p.Logger,
		Version: Version(), TempFolder: p.Config.DataDir, Stopping: streams.stopping,
	}))
	pages := p.metricsPages()
	maps.Copy(pages, map[string]http.Handler{
		"graphql": streams.endWithServer(graphQL), "v1/mcp": mcpDoor, "api/v1/mcp": mcpDoor, "openapi.json": cors.API().Handler(docs.Handler(p.BaseURL())),
	})
	trees := map[string]http.Handler{"v1": api, "api": api, "uploads": uploads}
	return routes{pages: pages, trees: trees, other: p.notOnFilesOrigin()}, nil
}

// appRoutes returns the routes of the application's origin: the API routes, and the pages. The
// pages of spaces handle every other path, so an address such as /12345678_abc needs no route.
func (p *Program) appRoutes(api routes) (routes, error) {
	graphiQL, err := playground.New(playground.Options{NoIntrospection: !p.Config.Introspection.On()})
	if err != nil {
		return routes{}, err
	}
	pages, err := p.pages()
	if err != nil {
		return routes{}, err
	}
	consolePages, err := p.console()
	if err != nil {
		return routes{}, err
	}
	app := routes{pages: maps.Clone(api.pages), trees: maps.Clone(api.trees), other: pages}
	maps.Copy(app.trees, map[string]http.Handler{
		"files": p.filesOnAppOrigin(), "playground": graphiQL, "console": consolePages,
		"exports": &exports{program: p, sending: semaphore.Keyed{PerKey: exportsPerAccount, Total: exportsInTotal}},
	})
	return app, nil
}

func (p *Program) graphQL() (http.Handler, error) {
	operations, err := p.operationList()
	if err != nil {
		return nil, err
	}
	return cors.GraphQL().Handler(graph.NewHandler(graph.HandlerOptions{
		Resolver: p.resolver, Keys: p.Keys, Secret: p.secret, Session: p.site.Caller, Limiter: p.limiter, BaseURL: p.BaseURL(),
		NoIntrospection: !p.Config.Introspection.On(), Tracer: p.tracing.tracer(),
		Operations: operations, OnlyListed: p.Config.GraphQLOnlyListed.On(),
	})), nil
}
