package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// listenInside takes the address for those who watch over the program, if there is
// one: a worker has no other, and that of a server may be open to strangers.
func (p *Program) listenInside(ctx context.Context) error {
	if p.Config.MetricsAddr == "" {
		return nil
	}
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", p.Config.MetricsAddr)
	if err != nil {
		return fmt.Errorf("PORTICO_METRICS_ADDR: %w", err)
	}
	p.inside = &http.Server{
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		ErrorLog:          slog.NewLogLogger(p.Logger.Handler(), slog.LevelWarn),
	}
	p.insideListener = listener
	return nil
}

// serveInside answers there until Close, also while the program stops.
func (p *Program) serveInside() {
	if p.inside == nil {
		return
	}
	p.inside.Handler = routes{pages: p.insidePages()}
	p.Logger.Info("serving metrics", "address", p.insideListener.Addr().String())
	go func() { _ = p.inside.Serve(p.insideListener) }() // its error is that of Close
}

// insidePages are for those who watch over the program.
func (p *Program) insidePages() map[string]http.Handler {
	return map[string]http.Handler{
		"livez": http.HandlerFunc(alive), "readyz": http.HandlerFunc(p.ready), "metrics": p.metrics.handler(),
	}
}
