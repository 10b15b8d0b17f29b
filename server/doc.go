// Package server is the program that serves Portico: it opens the database and the
// storage, puts the handlers of all doors together, works on jobs, and stops cleanly.
//
// Package cmd/portico starts it from the command line. Tests, trials and benchmarks
// start the same Program in their own process, at a port that the system chooses.
//
// # The way of a request
//
// Each handler wraps the next one, and the order matters. The deadlines of body and answer
// come first, so that no other handler can be kept waiting. Then the request gets its id,
// which log, metrics and traces share, and a handler that turns a panic into a 500 inside
// of these three, so that they record it. The origin router decides between files and
// application before any route is known: no page is served on the origin of the files.
// OAuth and the sign-in pages come before the doors, because some of their paths are below
// /api.
//
// # Starting and stopping
//
// The listener opens first, so that a port in use is reported before a database starts.
// Probes at PORTICO_METRICS_ADDR answer from then on. A stop runs in the opposite order:
// requests and jobs get stopTimeout in parallel, and the private Postgres stops last.
//
// # Why the access log is our own
//
// We measured github.com/go-chi/httplog v3.3.0 with the same attributes:
//
//   - Its message has the whole address with the query, and no option changes that: the
//     log would contain the signatures of presigned addresses.
//   - A request whose client has left is logged as a 500 at level ERROR. We log 499 at
//     INFO, and metrics and traces must agree with the log.
//   - The status decides the level. Probes can be left out, but not logged at DEBUG.
//   - LogExtraAttrs, its way to attributes that depend on the answer, keeps the body of
//     the request in memory: 64 MB for an upload of 64 MB. SetAttrs, its other way, does
//     not, but makes a line cost 36 allocations and 2.5 kB, against 18 and 1.0 kB.
//
// It would save the dozen lines that write the log line. The writer that records the
// status would stay, because metrics and traces read it.
package server
