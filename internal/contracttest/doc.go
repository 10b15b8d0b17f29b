// Package contracttest holds the interface to its documents. It has tests only:
// golden files of every exchange in testdata/rest, which docs/openapi.yaml must
// describe, and the table of requirements in testdata/requirements.md, whose
// rows must name tests that exist.
//
//	go test ./internal/contracttest -update
//
// rewrites the golden files.
package contracttest
