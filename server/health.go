package server

import (
	"context"
	"net/http"
	"sync"
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
	missing, err := p.readiness.check(r.Context(), p.probe)
	if err != nil { // who asked has gone
		missing = "unknown"
	}
	if missing != "" {
		plainAnswer(w, http.StatusServiceUnavailable, missing+"\n")
		return
	}
	plainAnswer(w, http.StatusOK, "ok\n")
}

// probe asks database and storage, and returns which does not answer, or "".
func (p *Program) probe() string {
	ctx, cancel := context.WithTimeout(context.Background(), readyTime)
	defer cancel()
	if err := p.DB.Ping(ctx); err != nil {
		p.Logger.Warn("not ready: database", "error", err)
		return "database does not answer"
	}
	if err := p.store.Ping(ctx); err != nil {
		p.Logger.Warn("not ready: storage", "error", err)
		return "storage does not answer"
	}
	return ""
}

// readyAge is how long the result of a probe is told again: a probe of the storage
// writes, so strangers must not decide how often.
const readyAge = time.Second

// readiness has the last result of a probe. One probe runs at a time, whoever asks.
// The zero value is ready.
type readiness struct {
	mu      sync.Mutex
	running chan struct{} // closed when the probe that runs has ended; nil for none
	ended   time.Time     // of the last one
	missing string        // its result
}

// check returns the result of a probe that is no older than readyAge, or the error
// of ctx.
func (c *readiness) check(ctx context.Context, probe func() string) (string, error) {
	c.mu.Lock()
	if c.running == nil && time.Since(c.ended) < readyAge {
		defer c.mu.Unlock()
		return c.missing, nil
	}
	if c.running == nil {
		c.running = make(chan struct{})
		go c.run(probe, c.running)
	}
	running := c.running
	c.mu.Unlock()
	select {
	case <-running:
	case <-ctx.Done():
		return "", ctx.Err()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.missing, nil
}

func (c *readiness) run(probe func() string, ended chan struct{}) {
	missing := probe()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.missing, c.ended, c.running = missing, time.Now(), nil
	close(ended)
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
