package server

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"time"
)

// serve answers requests until ctx ends, and then shuts down.
func (p *Program) serve(ctx context.Context) error {
	streams := newStreams()
	if err := p.openRooms(); err != nil {
		return err
	}
	handler, err := p.handler(streams)
	if err != nil {
		return err
	}
	server := &http.Server{
		Handler:     handler,
		ConnContext: withConnection,
		// An upload may take hours, so requests have no time limit. The store sets a minimum
		// rate for uploads, and limitBodyTime for other bodies.
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(p.Logger.Handler(), slog.LevelWarn),
	}
	failed := make(chan error, len(p.listeners))
	for _, listener := range p.listeners {
		go func() { failed <- server.Serve(rejectionListener{listener}) }()
	}
	p.Logger.Info("serving", "url", p.BaseURL())
	p.logNextStep(ctx)
	go p.storeRequests(ctx)
	if p.servesFiles() && p.isFiles() == nil {
		p.Logger.Warn("files share the origin of the application, so scripts (.mjs) are served as downloads: set PORTICO_FILES_URL to another host name of this server")
	}
	select {
	case err := <-failed:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	p.stage.Store(int32(stopping))
	p.Logger.Info("stopping")
	p.shutdown(server, streams)
	p.storeRequestsOnce(context.WithoutCancel(ctx))
	return nil
}

// logNextStep logs the address to open in a browser: the console, or where the first account is
// created. The link to the first account is a secret until it has been used.
func (p *Program) logNextStep(ctx context.Context) {
	link, err := p.firstAccountLink(ctx)
	switch {
	case err != nil:
		p.Logger.Warn("look for accounts", "error", err)
	case link != "":
		p.Logger.Info("open this link to create the first account", "url", link)
	default:
		p.Logger.Info("open the console in a browser", "url", p.BaseURL()+"/console")
	}
}

// shutdown accepts no more requests, ends the streams and waits for the other requests. An
// upload that takes longer than stopTimeout is cut off. Its client can start it again, so
// that is no error of the stop.
func (p *Program) shutdown(server *http.Server, streams *streams) {
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	streams.end()
	err := server.Shutdown(ctx)
	if err == nil {
		// Shutdown does not wait for connections that became sockets.
		err = streams.wait(ctx)
	}
	if err != nil {
		p.Logger.Warn("requests were cut off", "error", err)
		_ = server.Close() // the remaining requests have had their time
	}
}
