// Package parity tests that REST, GraphQL and MCP give the same responses, for every operation and
// every reason to refuse it. It contains only tests.
package parity
