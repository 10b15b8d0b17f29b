package server

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// startMetricsServer starts to serve probes and Prometheus at PORTICO_METRICS_ADDR, if it is set.
// The server starts before Open, which may take minutes, and runs until Close, so that probes can
// observe the start and the stop. A worker has no other address, and the public address of a
// server may be open to strangers.
//
// It has no limits on requests, so its address must not be public.
func (p *Program) startMetricsServer(ctx context.Context) error {
	if p.Config.MetricsAddr == "" {
		return nil
	}
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", p.Config.MetricsAddr)
	if err != nil {
		return fmt.Errorf("PORTICO_METRICS_ADDR: %w", err)
	}
	server := &http.Server{
		Handler:           routes{pages: p.metricsPages(), other: http.HandlerFunc(notFound)},
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		ErrorLog:          slog.NewLogLogger(p.Logger.Handler(), slog.LevelWarn),
	}
	p.Logger.Info("serving metrics", "address", listener.Addr().String())
	go func() { _ = server.Serve(listener) }() // returns an error after Close only
	p.onClose("server of metrics", func() error {
		_ = server.Close() // interrupts only probes and scrapes
		return nil
	})
	return nil
}

// metricsPages returns the handlers of probes and Prometheus, by their paths.
func (p *Program) metricsPages() map[string]http.Handler {
	return map[string]http.Handler{
		"livez": http.HandlerFunc(livez), "readyz": http.HandlerFunc(p.readyz), "metrics": http.HandlerFunc(p.serveMetrics),
	}
}

// serveMetrics serves Prometheus once the program runs. It accepts only one spelling of its path,
// because a proxy that blocks /metrics would pass other spellings.
func (p *Program) serveMetrics(w http.ResponseWriter, r *http.Request) {
	if r.URL.EscapedPath() != "/metrics" {
		notFound(w, r)
		return
	}
	if p.stage.current() == starting {
		respondText(w, http.StatusServiceUnavailable, "starting\n")
		return
	}
	p.metrics.Handler.ServeHTTP(w, r)
}
