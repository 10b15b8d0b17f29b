package server

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"time"
)

// serve handles requests until ctx ends or a listener fails. It returns when the server has shut
// down.
func (p *Program) serve(ctx context.Context) error {
	streams := newStreams()
	if err := p.openRooms(); err != nil {
		return err
	}
	if err := p.openSite(); err != nil {
		return err
	}
	if err := p.openResolver(); err != nil {
		return err
	}
	handler, err := p.handler(streams)
	if err != nil {
		return err
	}
	server := &http.Server{
		Handler:     handler,
		ConnContext: withConnection,
		// Requests have no time limit, because an upload may take hours. The store sets a
		// minimum rate for uploads, and limitBodyTime for other bodies.
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(p.Logger.Handler(), slog.LevelWarn),
	}
	// Before this, probes must not send clients here: nothing would handle them.
	p.stage.Store(int32(running))
	failed := make(chan error, len(p.listeners))
	for _, listener := range p.listeners {
		go func() { failed <- server.Serve(rejectionListener{listener}) }()
	}
	p.Logger.Info("serving", "url", p.BaseURL())
	p.logNextStep(ctx)
	storeLastCounts := p.metrics.counted.startStoring(p.DB.AddRequests, p.Logger)
	if p.servesFiles() && p.filesOriginMatcher() == nil {
		p.Logger.Warn("files share the origin of the application, so scripts (.mjs) are served as downloads: set PORTICO_FILES_URL to another host name of this server")
	}
	select {
	case err = <-failed:
		err = fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	p.stage.Store(int32(stopping))
	p.Logger.Info("stopping")
	p.stopServing(server, streams, storeLastCounts)
	return err
}

// logNextStep logs the address to open in a browser: the console, or the page that creates the
// first account. The link to that page is a secret until it has been used.
func (p *Program) logNextStep(ctx context.Context) {
	link, err := p.site.FirstAccountLink(ctx)
	switch {
	case err != nil:
		p.Logger.Warn("look for accounts", "error", err)
	case link != "":
		p.Logger.Info("open this link to create the first account", "url", link)
	default:
		p.Logger.Info("open the console in a browser", "url", p.BaseURL()+"/console")
	}
}
