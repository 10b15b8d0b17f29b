// Package view defines the answers that REST and MCP share: spaces, entities, files, jobs
// and accounts. Each answer is a struct, made from a row with the resolvers that GraphQL
// calls too, so that all three doors give the same values.
//
// The json tags are the API's names. The jsonschema tags are the descriptions that MCP's
// tools send to agents. Only packages rest and mcp use it; answers of a single door belong
// to the package of that door.
//
// ReadBody and Refuse are the first and the last step of a request, which both doors take
// alike: the same clients read the same texts and headers at both.
package view
