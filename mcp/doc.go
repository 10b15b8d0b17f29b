// Package mcp is the door for agents: the Model Context Protocol over streamable
// HTTP, whose tools call the resolvers of package graph. A tool decodes, calls
// the core, and answers; no rule of the domain stands here, and no table is in
// reach. Only package server uses it.
//
// The official SDK speaks the protocol, without sessions: every request carries
// everything it needs, so any replica answers it. Around the SDK stand what it has
// no opinion on or another one than ours: the key, CORS, the bounds of a body,
// and errors in the words of JSON-RPC where it answers text (see reply).
//
// # Origin
//
// A request from any origin is answered. The protocol asks servers to check
// Origin because of pages that reach a local server by DNS rebinding and act
// with what the browser brings along. Here a browser brings nothing along: no
// cookie is read, and a page that has no key gets 401 whatever name it used. For
// the same reason the SDK's check of Host is off, which would refuse what a proxy
// on the same machine sends on.
//
// # Addresses that clients name
//
// upload_file_from_url sends requests to where a client says. See publicnet.Guard for what
// keeps them out of the network that the server stands in.
package mcp
