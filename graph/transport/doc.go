// Package transport implements the wire protocols of GraphQL: plain HTTP, server-sent
// events and WebSocket. Each is a graphql.Transport for gqlgen's handler.Server. We do
// not use gqlgen's own transports because they deviate from the protocols in ways that
// clients notice.
//
//	"GraphQL over HTTP"  https://graphql.github.io/graphql-over-http/draft/
//	"graphql-sse"        https://github.com/enisdenjo/graphql-sse/blob/master/PROTOCOL.md
//	"graphql-ws"         https://github.com/enisdenjo/graphql-ws/blob/master/PROTOCOL.md
//
// Only package graph uses it. It handles messages, limits and timeouts. Functions in the options
// decide who may connect, and how many connections a caller may have. Add the three transports in
// the order WebSocket, SSE, HTTP, because HTTP answers every request that the others do not
// support.
package transport
