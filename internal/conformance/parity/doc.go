// Package parity tests that all doors give the same answers: REST, GraphQL and MCP, to every
// operation and every way in which it is refused.
package parity
