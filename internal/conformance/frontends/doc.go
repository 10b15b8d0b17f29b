// Package frontends tests the GraphQL interface with web frontends as their authors write
// them: small applications with Apollo Client, urql and Relay, which have their types from
// schema.graphqls alone. Each is driven in Chromium through the same scenario, from an origin
// of its own, against a running server with a worker. It contains only tests.
//
// Folder node holds the applications, the scenario, and the exact versions of the packages,
// which are installed once into the user's cache folder. Without Node, npm's registry or
// Chromium, the tests are skipped.
package frontends
