// Package frontends tests the GraphQL API with typical web frontends: small applications with
// Apollo Client, urql and Relay, whose types are generated from schema.graphqls. Each application
// runs in Chromium through the same scenario, on its own origin, against a running server with a
// worker. The package contains only tests.
//
// Folder node contains the applications, the scenario, and the exact versions of the packages,
// which are installed once in the user's cache folder. Without Node, npm's registry or Chromium,
// the tests are skipped.
package frontends
