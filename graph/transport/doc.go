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
// the order WebSocket, SSE, HTTP, because HTTP handles every request that the others do not
// support.
//
// # What a request gets
//
//	HTTP       200, 400, 405, 406, 413, 414, 415; 401, 429 and 507 when nothing was executed
//	SSE        as HTTP, before the stream is open; afterwards every result and error is an event
//	WebSocket  4400 a message that the protocol does not specify
//	           4401 subscribe before connection_ack, or a key that is not valid
//	           4406 another subprotocol
//	           4408 no connection_init in time
//	           4409 an id that is in use
//	           4429 a second connection_init
//	           1009 a message that is too big
//	           1013 a limit: try again later
//	           1001 the server stops: connect again
package transport
