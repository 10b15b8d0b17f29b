// Package contract compares the API with its documents. It contains only tests: golden files of
// every exchange in testdata/rest, which docs/openapi.yaml must describe, and the table of
// requirements in testdata/requirements.md, whose rows must name existing tests. This command
// rewrites the golden files:
//
//	go test ./internal/conformance/contract -update
package contract
