// Package view holds what the doors REST and MCP show of spaces, entities, files,
// jobs and accounts: one struct for each answer, made from a row by way of the
// resolvers that GraphQL calls too, so all three doors give the same values.
//
// The json tags are the API's names. The jsonschema tags are the descriptions that
// MCP's tools send to agents. Only packages rest and mcp use it; answers that one
// door alone gives stay in that door's package.
//
// ReadBody and Refuse are the first and the last step of a request, which both doors take
// alike: the same clients read the same texts and headers at both.
package view
