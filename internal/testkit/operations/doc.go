// Package operations lists all operations of REST, GraphQL and MCP, for tests that must call each
// of them. The lists come from openapi.yaml, schema.graphqls and the response to tools/list, so a
// new operation is in them. Only tests may import it.
package operations
