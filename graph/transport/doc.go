// Package transport speaks the wire protocols of GraphQL: plain HTTP, server-sent
// events and WebSocket. Each is a graphql.Transport for gqlgen's handler.Server,
// made because the stock ones break the protocols that clients hold us to.
//
//	"GraphQL over HTTP"  https://graphql.github.io/graphql-over-http/draft/
//	"graphql-sse"        https://github.com/enisdenjo/graphql-sse/blob/master/PROTOCOL.md
//	"graphql-ws"         https://github.com/enisdenjo/graphql-ws/blob/master/PROTOCOL.md
//
// Only package graph mounts it. It knows messages, limits and time; who may
// connect and how many at once is decided by the hooks of the options. Mount the
// three in the order WebSocket, SSE, HTTP: HTTP answers all that the others leave.
package transport
