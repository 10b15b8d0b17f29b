package server

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"time"
)

// serve answers requests until ctx ends, then takes no more and lets those that
// run end.
func (p *Program) serve(ctx context.Context) error {
	streams := newStreams()
	handler, err := p.handler(streams)
	if err != nil {
		return err
	}
	server := &http.Server{
		Handler:     handler,
		ConnContext: keepConnection,
		// An upload may take hours, so whole requests have no time limit: the
		// store bounds the pace of one, and paced that of other bodies.
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(p.Logger.Handler(), slog.LevelWarn),
	}
	failed := make(chan error, len(p.listeners))
	for _, listener := range p.listeners {
		go func() { failed <- server.Serve(plainRefusals{listener}) }()
	}
	p.Logger.Info("serving", "url", p.BaseURL())
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
	return nil
}

// shutdown takes no more requests, ends the streams and waits for the others.
// An upload that takes longer than the grace is cut off, and begun again by its
// client: that is no error of the stop.
func (p *Program) shutdown(server *http.Server, streams *streams) {
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	streams.end()
	err := server.Shutdown(ctx)
	if err == nil {
		// Shutdown does not know of connections that became sockets.
		err = streams.wait(ctx)
	}
	if err != nil {
		p.Logger.Warn("requests were cut off", "error", err)
		_ = server.Close() // all that could be lost was just given up
	}
}
