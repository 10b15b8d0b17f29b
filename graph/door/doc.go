// Package door is GraphQL: what gqlgen generates from schema.graphqls, the resolvers of its fields, and
// NewHandler, which serves it. It is a door like packages rest and mcp: it decodes ids and arguments, calls
// methods of graph.Resolver and of the subjects that it is made of, and wraps their results in payloads.
// The transports are in graph/transport, and the limits of documents in graph/limits.
//
// The context of every stream and socket ends with its key or session (authenticate), and
// sharedEventSchema encodes an event once for all subscribers for whom every selected field is the same
// (shareableFields).
package door
