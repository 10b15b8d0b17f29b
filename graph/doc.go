// Package graph is the core: every operation is a resolver method, which reads
// caller, owned thing, validate, do, return. The doors (GraphQL's handler here,
// packages rest and mcp) call the same methods, so rules stand here and nowhere
// else. Methods of the root resolvers never touch gqlgen's operation context,
// which only exists while a GraphQL document is executed.
package graph
