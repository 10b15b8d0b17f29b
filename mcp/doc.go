// Package mcp is the door for agents: the Model Context Protocol over streamable
// HTTP, whose tools call the resolvers of package graph. A tool decodes, calls
// a resolver, and answers. It contains no rule of the domain and reaches no table. Only
// package server uses it.
//
// The official SDK speaks the protocol, without sessions: every request carries
// everything it needs, so any replica answers it. This package adds what the SDK lacks or
// does differently: the check of the key, CORS, the limit of a body, and errors as
// JSON-RPC where the SDK answers plain text (see reply).
//
// # Origin
//
// A request from any origin is answered. The protocol asks servers to check Origin,
// because a page could reach a local server by DNS rebinding and act with the
// credentials that the browser adds. Here the browser adds none: no cookie is read, and a
// page without a key gets 401 under every name. For the same reason the SDK's check of
// Host is off: it would refuse requests that a proxy on the same machine forwards.
//
// # Progress and waiting
//
// A call with a progress token is answered by a stream of events, any other by one JSON
// document. Tools that start a job wait for it, since agents are bad at polling, but only
// as long as clients wait: longer with progress than without. After that the answer has the
// job's id, and get_job continues.
//
// # Errors
//
// A tool that fails returns a result with isError, which the agent reads and can act on. A
// message that is not valid gets a JSON-RPC error, which only its client sees. A request
// that does not get that far, without a key or over a limit, gets an error of REST.
//
// # Addresses that clients name
//
// upload_file_from_url sends requests to addresses that clients choose. publicnet.Guard
// keeps these requests out of the network of the server.
package mcp
