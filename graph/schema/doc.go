// Package schema holds the inputs and payloads of the GraphQL schema that no other door
// has. gqlgen generates them; package graph alone uses them.
package schema
