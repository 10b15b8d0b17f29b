package server

import (
	"context"
	"maps"
	"net/http"
	"strings"
	"time"

	"portico/auth"
	"portico/docs"
	"portico/graph"
	"portico/internal/cors"
	"portico/internal/semaphore"
	"portico/mcp"
	"portico/model"
	"portico/oauth"
	"portico/rest"
	"portico/web"
	"portico/web/playground"
	"portico/web/plugin"
)

// handler returns the handler of all requests. From the outside in, each request gets a
// deadline for its body, an id, a line in the log, metrics, a span, and an answer even
// when its handler panics.
func (p *Program) handler(streams *streams) (http.Handler, error) {
	resolver, err := p.resolver()
	if err != nil {
		return nil, err
	}
	p.metrics.gaugeSubscriptions(resolver)
	site, signIn, err := p.signIn()
	if err != nil {
		return nil, err
	}
	resolver.Accounts = site
	api := rest.New(rest.Options{
		Resolver: resolver, Keys: p.Keys, Limiter: p.limiter, BaseURL: p.BaseURL(), Logger: p.Logger,
		TempDir: p.Config.DataDir,
	})
	p.firstAccountLink = site.FirstAccountLink
	graphQL, err := p.graphQL(resolver, site)
	if err != nil {
		return nil, err
	}
	// Not tracked: MCP clients accept events with every call, so streams.track would take
	// each call for a subscription.
	agents := rest.CleanPath(mcp.New(mcp.Options{
		Resolver: resolver, Keys: p.Keys, Limiter: p.limiter, BaseURL: p.BaseURL(), Logger: p.Logger,
		Version: Version(), TempDir: p.Config.DataDir, Stopping: streams.stopping,
	}))
	graphiQL, err := playground.New(playground.Options{NoIntrospection: !p.Config.Introspection.On()})
	if err != nil {
		return nil, err
	}
	keyed := routes{pages: p.opsPages(), trees: map[string]http.Handler{"v1": api, "api": api}, other: p.notOnFilesOrigin()}
	maps.Copy(keyed.pages, map[string]http.Handler{
		"graphql": streams.track(graphQL), "v1/mcp": agents, "api/v1/mcp": agents, "openapi.json": cors.API().Handler(docs.Handler(p.BaseURL())),
	})
	pages, err := p.pages(resolver, site)
	if err != nil {
		return nil, err
	}
	consolePages, err := p.console(site)
	if err != nil {
		return nil, err
	}
	app := routes{pages: keyed.pages, trees: maps.Clone(keyed.trees), other: pages}
	maps.Copy(app.trees, map[string]http.Handler{"files": p.formerFileAddresses(), "playground": graphiQL, "console": consolePages,
		"exports": &exports{program: p, resolver: resolver, sending: semaphore.Keyed{PerKey: exportsPerAccount, Total: exportsInAll}}})
	uploads, err := p.resumableUploads(resolver, site)
	if err != nil {
		return nil, err
	}
	app.trees["uploads"], keyed.trees["uploads"] = uploads, uploads
	plugins, err := plugin.New(p.BaseURL(), p.fileOrigins())
	if err != nil {
		return nil, err
	}
	divided := p.newOriginRouter(signIn(app), keyed, plugins)
	observed := p.logRequests(p.metrics.countRequests(p.tracing.traceRequests(p.recoverPanics(divided))))
	return limitAnswerTime(limitBodyTime(divided.isUpload, rest.RequestID(observed))), nil
}

// graphQL returns the handler of /graphql.
func (p *Program) graphQL(resolver *graph.Resolver, site *web.Site) (http.Handler, error) {
	operations, err := p.operations()
	if err != nil {
		return nil, err
	}
	return cors.GraphQL().Handler(graph.NewHandler(graph.HandlerOptions{
		Resolver: resolver, Keys: p.Keys, Secret: p.secret, Session: site.Caller, Limiter: p.limiter, BaseURL: p.BaseURL(),
		NoIntrospection: !p.Config.Introspection.On(), Tracer: p.tracing.tracer(),
		Operations: operations, OnlyListed: p.Config.GraphQLOnlyListed.On(),
	})), nil
}

// signIn returns the site where people sign in, and a middleware that answers its pages and
// OAuth. The middleware comes before the doors, because some of its paths are below /api.
func (p *Program) signIn() (*web.Site, func(next http.Handler) http.Handler, error) {
	firstCode, err := p.firstCode()
	if err != nil {
		return nil, nil, err
	}
	site, err := web.New(web.Options{
		DB: p.DB, Keys: p.Keys, Passwords: auth.NewPasswords(), BaseURL: p.BaseURL(),
		Signup: p.Config.Signup.On(), FirstCode: firstCode, DefaultQuota: int64(p.Config.DefaultQuota), Plan: model.Plan(p.Config.Plan), OIDC: p.Config.oidc(),
		SendsMail: p.Config.SMTPURL != "",
		Limiter:   p.limiter, Unlimited: !p.Config.RateLimits.On(), Logger: p.Logger,
	})
	if err != nil {
		return nil, nil, err
	}
	server := oauth.New(oauth.Options{
		DB: p.DB, Keys: p.Keys, Site: site, BaseURL: p.BaseURL(),
		Unlimited: !p.Config.RateLimits.On(), Logger: p.Logger,
	})
	return site, func(next http.Handler) http.Handler { return server.Handler(site.Handler(next)) }, nil
}

// oidc returns the options of the external provider, or nil when none is configured.
func (c *Config) oidc() *web.OIDCOptions {
	if c.OIDCIssuer == "" {
		return nil
	}
	return &web.OIDCOptions{Issuer: c.OIDCIssuer, ClientID: c.OIDCClientID, ClientSecret: c.OIDCSecret}
}

// history returns the bounds of the histories of spaces.
func (c *Config) history() model.HistoryLimits {
	return model.HistoryLimits{Versions: c.HistoryVersions, Age: time.Duration(c.HistoryAge)}
}

// resolver returns the resolvers that all doors share.
func (p *Program) resolver() (*graph.Resolver, error) {
	links, err := graph.NewExportLinks(p.secret)
	if err != nil {
		return nil, err
	}
	return &graph.Resolver{
		DB: p.DB, Store: p.store, Keys: p.Keys, Exports: links, Presence: p.rooms, Logger: p.Logger, InForce: p.Settings,
		StoreRequests: func(ctx context.Context) error { return p.metrics.counted.store(ctx, p.DB.AddRequests) },
		Settings: graph.Settings{
			WebURL: p.BaseURL(), Formats: p.Config.Formats,
			MaxFileSize: p.maxFileSize(), MaxPutSize: p.maxPutSize(), AsyncThreshold: int64(p.Config.AsyncThreshold),
			UploadTTL: p.Config.UploadTTL, JobTTL: p.Config.JobTTL, History: p.Config.history(),
		},
	}, nil
}

// routes chooses a handler by the path. It is no ServeMux, which would redirect a doubled
// slash: our paths never redirect (contract, Addresses). The handler of a tree routes the
// paths below it.
type routes struct {
	pages map[string]http.Handler // by their whole path
	trees map[string]http.Handler // by the first segment of what is below them
	other http.Handler            // for all other paths
}

// ServeHTTP implements http.Handler.
func (h routes) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := strings.Trim(r.URL.Path, "/")
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
