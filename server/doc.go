// Package server is the program that serves Portico: it opens the database and the
// storage, puts the handlers of all doors together, works on jobs, and stops cleanly.
//
// Package cmd/portico starts it from the command line. Tests, trials and benchmarks
// start the same Program in their own process, at a port that the system chooses.
package server
