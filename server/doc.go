// Package server is the program that serves Portico. It opens the database and the storage,
// combines the handlers of all doors, works on jobs, and stops cleanly.
//
// Package cmd/portico starts it from the command line. Tests, trials and benchmarks start the
// same Program in their own process, at a port that the system chooses.
//
// # The path of a request
//
// Each handler wraps the next one, and the order matters. The deadlines of body and response come
// first, so that a slow client cannot block any other handler. Then the request gets its id,
// which the log, metrics and traces share. Inside these three, a handler turns a panic into a
// 500, so that they record it. The origin router chooses between files and application before
// any other routing, so that no page is served on the origin of the files. OAuth and the sign-in
// pages come before the doors, because some of their paths are below /api.
//
// # Start and stop
//
// Serve opens the listener first, so that a port in use is reported before a database starts.
// Probes at PORTICO_METRICS_ADDR get responses from then on. Then it opens what it serves, from the
// inside out: the database, the store, the rooms of visitors, the sign-in site, the resolver, the
// doors. Each gets everything that it needs when it is created. A worker opens no application:
// Run opens what handles requests.
//
// A stop runs in the opposite order: requests and jobs get drainTimeout in parallel, and then Close
// closes from the resolver to the database. All of it together gets stopTimeout.
package server
