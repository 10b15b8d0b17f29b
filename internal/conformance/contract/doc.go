// Package contract compares the interface with its documents. It has tests only:
// golden files of every exchange in testdata/rest, which docs/openapi.yaml must
// describe, and the table of requirements in testdata/requirements.md, whose
// rows must name existing tests.
//
//	go test ./internal/conformance/contract -update
//
// rewrites the golden files.
package contract
