// Package mcp is the door for agents: the Model Context Protocol over streamable HTTP. Only package
// server uses it.
//
// A tool decodes its arguments, calls an operation of package graph, and responds. It has no rule,
// and cannot import the database.
//
// The official SDK implements the protocol, without sessions: a request needs nothing from an
// earlier one, so any replica can handle it. This package adds what the SDK does not have or does
// differently: the check of the key, CORS, the maximum size of a body, and errors as JSON-RPC where
// the SDK responds in plain text (see reply).
//
// # Origin
//
// The door handles requests from every origin. The protocol requires servers to check Origin,
// because a page could reach a local server by DNS rebinding, and act with the credentials that the
// browser adds. Here the browser adds no credentials: the door reads no cookie, so a page without a
// key gets 401 under every host name. The SDK's check of Host is off for the same reason: it would
// refuse requests that a proxy on the same machine forwards.
//
// # Progress and waiting
//
// The response to a call with a progress token is a stream of events. The response to other calls
// is one JSON document. A tool that starts a job waits for the job, because agents are bad at
// polling, but no longer than clients wait for a response: they wait longer for a call that reports
// progress. After that the response has the id of the job, and get_job continues to wait.
//
// # Errors
//
// A tool that fails returns a result with isError, which the agent sees. The response to an invalid
// message is a JSON-RPC error, which only the client sees. The response to a request that is
// refused before, such as one without a key or over a limit, is an error of REST.
//
// # Addresses that clients name
//
// upload_file_from_url sends requests to addresses that clients choose. publicnet.Guard refuses the
// addresses in the network of the server.
//
// # What a request gets
//
//	no valid key                        401 with the address of the OAuth metadata (RFC 9728 section 5.1)
//	over a limit                        429 with Retry-After
//	a body over MaxBody                 413
//	GET, DELETE                         405: there are no sessions and no messages of the server
//	a message without a method          400, -32600
//	a method of an undeclared feature   -32601
//	a tool that fails                   200, a result with isError
//	a notification                      202 without a body
//	a call with a progress token        200, a stream of events
//	any other call                      200, one JSON document
package mcp
