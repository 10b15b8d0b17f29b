package server

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"portico/server/connection"
)

// serve handles the requests that the listener accepts, until ctx ends or the listener fails. It
// returns when the server has shut down.
func (p *Program) serve(ctx context.Context, listener *Listener) error {
	app, err := p.openApplication(listener)
	if err != nil {
		return err
	}
	handler, err := app.handler()
	if err != nil {
		return err
	}
	server := &http.Server{
		Handler:     handler,
		ConnContext: connection.WithConnection,
		// Requests have no time limit, because an upload may take hours. The store sets a
		// minimum rate for uploads, and connection.LimitBodyTime for other bodies.
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(p.Logger.Handler(), slog.LevelWarn),
	}
	// Before this, probes must not send clients here: nothing would handle them.
	p.stage.enter(running)
	failed := make(chan error, len(listener.listeners))
	for _, accepting := range listener.listeners {
		go func() { failed <- server.Serve(connection.RejectionListener{Listener: accepting}) }()
	}
	p.Logger.Info("serving", "url", p.BaseURL())
	app.logNextStep(ctx)
	app.egress.start(p)
	defer app.egress.checks.Stop()
	storeLastRequests := p.metrics.Counted.StartStoring(p.DB.Operations().AddRequests, p.Logger)
	storeLastStatistics := app.resolver.Statistics().StartStoring(p.Logger)
	storeLastCounts := func(ctx context.Context) {
		storeLastRequests(ctx)
		storeLastStatistics(ctx)
	}
	if p.servesFiles() && p.filesOriginMatcher() == nil {
		p.Logger.Warn("files share the origin of the application, so scripts (.mjs) are served as downloads: set PORTICO_FILES_URL to another host name of this server")
	}
	select {
	case err = <-failed:
		err = fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	p.stage.enter(stopping)
	p.Logger.Info("stopping")
	p.stopServing(server, app.streams, storeLastCounts)
	return err
}

// logNextStep logs the address to open in a browser: the console, or the page that creates the
// first account. The link to that page is a secret until it has been used.
func (a *application) logNextStep(ctx context.Context) {
	link, err := a.site.FirstAccountLink(ctx)
	switch {
	case err != nil:
		a.Logger.Warn("look for accounts", "error", err)
	case link != "":
		a.Logger.Info("open this link to create the first account", "url", link)
	default:
		a.Logger.Info("open the console in a browser", "url", a.BaseURL()+"/console")
	}
}
