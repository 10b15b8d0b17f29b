// Package generators tests docs/openapi.yaml with the tools that people generate their clients with:
// each generated client publishes a file on a running server.
package generators
