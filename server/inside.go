package server

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// serveInside answers those who watch over the program at an address of their own,
// if there is one, until Close: from before it is opened, which may take minutes, and
// while it stops. A worker has no other address, and that of a server may be open to
// strangers.
func (p *Program) serveInside(ctx context.Context) error {
	if p.Config.MetricsAddr == "" {
		return nil
	}
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", p.Config.MetricsAddr)
	if err != nil {
		return fmt.Errorf("PORTICO_METRICS_ADDR: %w", err)
	}
	p.inside = &http.Server{
		Handler:           routes{pages: p.insidePages(), other: http.HandlerFunc(notFound)},
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		ErrorLog:          slog.NewLogLogger(p.Logger.Handler(), slog.LevelWarn),
	}
	p.Logger.Info("serving metrics", "address", listener.Addr().String())
	go func() { _ = p.inside.Serve(listener) }() // its error is that of Close
	return nil
}

// insidePages are for those who watch over the program.
func (p *Program) insidePages() map[string]http.Handler {
	return map[string]http.Handler{
		"livez": http.HandlerFunc(alive), "readyz": http.HandlerFunc(p.ready), "metrics": http.HandlerFunc(p.showMetrics),
	}
}

// showMetrics answers Prometheus, once there is something to tell, and at one spelling
// of its path alone: proxies that keep strangers from it know no other.
func (p *Program) showMetrics(w http.ResponseWriter, r *http.Request) {
	if r.URL.EscapedPath() != "/metrics" {
		notFound(w, r)
		return
	}
	if stage(p.stage.Load()) == starting {
		plainAnswer(w, http.StatusServiceUnavailable, "starting\n")
		return
	}
	p.metrics.handler.ServeHTTP(w, r)
}
