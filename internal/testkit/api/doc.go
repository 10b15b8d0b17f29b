// Package api is a client of a running server for tests. It calls the API as an account
// does, and fails the test where an answer is not the expected one.
package api
