// Package api is a client of a running server for tests. It calls the API as an account, and fails
// the test if a response is not the expected one.
package api
