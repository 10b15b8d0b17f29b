package server

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// dependencyTimeout limits each check of the database and the storage. Orchestrators also wait
// only a few seconds for a probe.
const dependencyTimeout = 5 * time.Second

// livez answers 200 while the process runs.
func livez(w http.ResponseWriter, _ *http.Request) { plainAnswer(w, http.StatusOK, "ok\n") }

// stage is a stage in the life cycle of a program.
type stage int32

// The stages of a program.
const (
	starting stage = iota
	running
	stopping
)

// readyz answers 200 while the program runs and its database and storage answer.
//
// Load balancers stop sending requests while it answers 503. A dependency that does not answer
// makes all replicas unready: none of them could answer a request either.
func (p *Program) readyz(w http.ResponseWriter, r *http.Request) {
	switch stage(p.stage.Load()) {
	case starting:
		plainAnswer(w, http.StatusServiceUnavailable, "starting\n")
		return
	case stopping:
		plainAnswer(w, http.StatusServiceUnavailable, "stopping\n")
		return
	}
	missing, err := p.readiness.check(r.Context(), p.checkDependencies)
	if err != nil { // the client has disconnected
		missing = "unknown"
	}
	if missing != "" {
		plainAnswer(w, http.StatusServiceUnavailable, missing+"\n")
		return
	}
	plainAnswer(w, http.StatusOK, "ok\n")
}

// checkDependencies returns a text that names the dependency that does not answer, the database
// or the storage, or "" if both answer. It does not use the context of a request, because all
// concurrent probes share the result.
func (p *Program) checkDependencies() string {
	ctx, cancel := context.WithTimeout(context.Background(), dependencyTimeout)
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

// maxResultAge is how long a result is reused. A check writes to the storage, so its rate must not
// depend on the number of probes, which strangers can send.
const maxResultAge = time.Second

// readiness runs one check at a time and stores the last result. The zero value is ready for use.
type readiness struct {
	mu      sync.Mutex
	running chan struct{} // closed when the running check has ended; nil when none runs
	ended   time.Time     // the end of the last check
	missing string        // the result of the last check
}

// check returns a result no older than maxResultAge, or the error of ctx. The check goes on when
// its first caller has disconnected, for the callers that wait with it.
func (c *readiness) check(ctx context.Context, probe func() string) (string, error) {
	c.mu.Lock()
	if c.running == nil && time.Since(c.ended) < maxResultAge {
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

// run stores the result of probe and closes done.
func (c *readiness) run(probe func() string, done chan struct{}) {
	missing := probe()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.missing, c.ended, c.running = missing, time.Now(), nil
	close(done)
}
