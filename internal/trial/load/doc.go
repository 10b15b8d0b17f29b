// Command load measures Portico beside what it is made of, in one run and in
// turns: pgbench with the statements alone, a hand-written net/http and pgx
// handler that gives the same answers in two trips to the database (the ceiling)
// or in one, Portico's REST and its GraphQL. An echo that answers from memory
// shows what the client itself takes.
//
// It has a private Postgres of its own, with durable settings, and runs every
// contender as a child process, so that each has a CPU time and a peak memory of
// its own. Every answer is checked, byte by byte against one that was decoded and
// compared first: nothing is measured that fails.
//
//	go run ./internal/trial/load                     everything
//	go run ./internal/trial/load -only rest,ceiling  some contenders
//	go run ./internal/trial/load -only fanout         the delivery of changes to subscribers
//	go run ./internal/trial/load -profile DIR        Portico's pprof profiles, no table
//
// docs/performance.md says how to read the table.
package main
