package main

import (
	"context"
	"net/http"
	"time"
)

// readyTime is how long database and storage may take to answer a probe; those
// who probe wait some seconds themselves.
const readyTime = 5 * time.Second

// alive answers that the process runs.
func alive(w http.ResponseWriter, _ *http.Request) { plainAnswer(w, http.StatusOK, "ok\n") }

// stage is how far the life of a program has come.
type stage int32

// The stages of a program.
const (
	starting stage = iota
	running
	stopping
)

// ready answers whether requests can be served: database and storage answer.
func (p *Program) ready(w http.ResponseWriter, r *http.Request) {
	switch stage(p.stage.Load()) {
	case starting:
		plainAnswer(w, http.StatusServiceUnavailable, "starting\n")
		return
	case stopping:
		plainAnswer(w, http.StatusServiceUnavailable, "stopping\n")
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), readyTime)
	defer cancel()
	if err := p.DB.Ping(ctx); err != nil {
		p.Logger.Warn("not ready: database", "error", err)
		plainAnswer(w, http.StatusServiceUnavailable, "database does not answer\n")
		return
	}
	if err := p.store.Ping(ctx); err != nil {
		p.Logger.Warn("not ready: storage", "error", err)
		plainAnswer(w, http.StatusServiceUnavailable, "storage does not answer\n")
		return
	}
	plainAnswer(w, http.StatusOK, "ok\n")
}

// plainAnswer is for people and probes: no client of the API comes here.
func plainAnswer(w http.ResponseWriter, status int, text string) {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text)) // fails when the client has gone
}
