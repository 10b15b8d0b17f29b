// Package kit tests the npm package @portico/client as it is released: the examples of its README run in
// Node and in Chromium against a running server, and uploads survive what connections do. The package
// contains only tests.
package kit
