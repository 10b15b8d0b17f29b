// Command load compares the speed of Portico with the speed of its components, in one run and in
// turns: pgbench with only the statements, a hand-written net/http and pgx handler that gives the
// same responses in two round trips to the database (the ceiling) or in one, and Portico's REST and
// GraphQL. An echo server that responds from memory shows the cost of the client.
//
// The command starts a private Postgres with durable settings, and runs every contender as a child
// process to measure its CPU time and peak memory. It checks every response, byte by byte against a
// response that was decoded and checked before, so that it never measures failures.
//
//	go run ./internal/trial/load                     everything
//	go run ./internal/trial/load -only rest,ceiling  some contenders
//	go run ./internal/trial/load -only fanout         the delivery of changes to subscribers
//	go run ./internal/trial/load -profile DIR        Portico's pprof profiles, no table
//
// docs/performance.md says how to read the table.
package main
