package server

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"portico/internal/background"
	"portico/model"
	"portico/storage"
)

// dependencyTimeout limits each check of the database and the storage. Orchestrators also wait
// only a few seconds for a probe.
const dependencyTimeout = 5 * time.Second

// livez responds with 200 while the process runs.
func livez(w http.ResponseWriter, _ *http.Request) { respondText(w, http.StatusOK, "ok\n") }

// readyz responds with 200 and the version while the program runs and its database and storage answer,
// and with the address and the host that the request comes from and is for.
//
// Load balancers stop sending requests while it responds with 503. A dependency that does not
// answer makes all replicas unready: none of them could handle a request either.
func (p *Program) readyz(w http.ResponseWriter, r *http.Request) {
	switch p.stage.current() {
	case starting:
		respondText(w, http.StatusServiceUnavailable, "starting\n")
		return
	case stopping:
		respondText(w, http.StatusServiceUnavailable, "stopping\n")
		return
	}
	missing, err := p.readiness.check(r.Context(), p.checkDependencies)
	if err != nil { // the client has disconnected
		missing = "unknown"
	}
	if missing != "" {
		respondText(w, http.StatusServiceUnavailable, missing+"\n")
		return
	}
	text := "ok\nversion " + Version() + "\n"
	// What the proxies in front make of a request, for portico doctor.
	if address := model.OriginFrom(r.Context()).Address; address != "" {
		text += "address " + address + "\nhost " + r.Host + "\n"
	}
	respondText(w, http.StatusOK, text)
}

// checkDependencies returns a text that names the dependency that does not answer, the database
// or the storage, or "" if both answer. It does not use the context of a request, because all
// concurrent probes share the result.
func (p *Program) checkDependencies() string {
	ctx, cancel := context.WithTimeout(context.Background(), dependencyTimeout)
	defer cancel()
	missing, err := "", p.DB.Ping(ctx)
	if err != nil {
		missing = "database does not answer"
	} else if err = p.store.Ping(ctx); err != nil && !errors.Is(err, storage.ErrFull) {
		// With a full disk files can be read and deleted, which makes room.
		missing = "storage does not answer"
	}
	p.readiness.logChange(p.Logger, missing, err)
	return missing
}

// maxResultAge is how long a result is reused. A check writes to the storage, so its rate must not
// depend on the number of probes, which strangers can send.
const maxResultAge = time.Second

// readiness runs one check at a time and stores the last result. The zero value is ready for use.
type readiness struct {
	checks background.Group

	mu      sync.Mutex
	running chan struct{} // closed when the running check has ended; nil when none runs
	ended   time.Time     // the end of the last check
	missing string        // the result of the last check

	logged string // the result that was logged last; only the running check uses it
}

// logChange logs a result only if it differs from the last one: during an outage there is a check
// every second. missing is "" if err is nil.
func (r *readiness) logChange(log *slog.Logger, missing string, err error) {
	if missing == r.logged {
		return
	}
	r.logged = missing
	if err != nil {
		log.Warn("not ready", "missing", missing, "error", err)
	} else {
		log.Info("ready again: the database and the storage answer")
	}
}

// check returns a result no older than maxResultAge, or the error of ctx. The check goes on when
// its first caller has disconnected, for the callers that wait with it.
func (r *readiness) check(ctx context.Context, probe func() string) (string, error) {
	r.mu.Lock()
	if r.running == nil && time.Since(r.ended) < maxResultAge {
		defer r.mu.Unlock()
		return r.missing, nil
	}
	if r.running == nil && !r.start(probe) {
		defer r.mu.Unlock()
		return "stopping", nil
	}
	running := r.running
	r.mu.Unlock()
	select {
	case <-running:
	case <-ctx.Done():
		return "", ctx.Err()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.missing, nil
}

// start starts a check, and reports whether it did: after close it starts none. The caller holds
// the lock.
func (r *readiness) start(probe func() string) bool {
	done := make(chan struct{})
	_, started := r.checks.Go(func(context.Context) { // close waits for the result
		missing := probe()
		r.mu.Lock()
		defer r.mu.Unlock()
		r.missing, r.ended, r.running = missing, time.Now(), nil
		close(done)
	})
	if started {
		r.running = done
	}
	return started
}

// close waits for the running check, which uses the database and the storage, and starts no more
// checks. It waits for at most dependencyTimeout: a disk that hangs does not end with a context.
func (r *readiness) close(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, dependencyTimeout)
	defer cancel()
	_ = r.checks.StopContext(ctx) // fails if the check hangs
}
