// Package view has the responses that REST and MCP share: spaces, entities, files, jobs and
// accounts. Each response is a struct that is made from a row and the resolvers that GraphQL also
// calls, so all three doors return the same values. Only packages rest, rest/tus and mcp use it.
// The responses of a single door are in the package of the door. The view of a file is something
// else: a streamed SOG that viewers load instead of the file.
//
// The json tags are the names of the API. The jsonschema tags are the descriptions of the tools of
// MCP, for agents.
//
// ReadBody, TempFile, Refuse and RefuseMethod are what the doors have in common at the start and
// the end of a request, so that clients get the same texts and headers.
package view
