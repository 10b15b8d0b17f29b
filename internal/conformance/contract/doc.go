// Package contract holds the interface to its documents. It has tests only:
// golden files of every exchange in testdata/rest, which docs/openapi.yaml must
// describe, and the table of requirements in testdata/requirements.md, whose
// rows must name tests that exist.
//
//	go test ./internal/conformance/contract -update
//
// rewrites the golden files.
package contract
