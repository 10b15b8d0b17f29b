// Package property tests properties that hold for every use and every input. It
// has tests only.
//
// TestSequences sends random sequences of operations, by two users through REST
// and GraphQL, and compares every answer and the state at the end with a plain
// model of the rules, which is written from the specification and not from the
// code. A failure prints its seed and the shortest steps that still fail:
//
//	go test ./internal/conformance/property -run TestSequences -seed 17
//
// TestBadInput sends mutated requests to every endpoint. None may be answered
// with a 500, with a body that is not JSON, or with another user's data. The
// fuzz tests check the same with inputs of Go's fuzzer:
//
//	go test ./internal/conformance/property -run '^$' -fuzz '^FuzzSpacePut$' -fuzztime 60s
package property
