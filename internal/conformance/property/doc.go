// Package property tests properties of all operations and inputs. It contains only tests.
//
// TestSequences_follow_the_rules sends random sequences of operations, by two users through REST and
// GraphQL. It compares every response and the final state with a simple model of the rules, which
// was written from the specification and not from the code. A failure prints the seed and a minimal
// sequence that still fails:
//
//	go test ./internal/conformance/property -run TestSequences -seed 17
//
// TestBadInput_causes_no_internal_error sends mutated requests to every endpoint. No response may be
// a 500, have a body that is not JSON, or contain another user's data. The fuzz tests check the same
// with inputs of Go's fuzzer:
//
//	go test ./internal/conformance/property -run '^$' -fuzz '^FuzzSpacePut$' -fuzztime 60s
package property
