// Package rest is the REST door: HTTP and JSON for the operations of package graph. Only package
// server uses it.
//
// routes in router.go is the table of all endpoints. A handler decodes, calls one operation, and
// responds. It has no rule, and cannot import the database. CONTRIBUTING.md, Names, says
// in which file a handler is.
//
// Every response is JSON with the envelope of API section 1, including errors, except the archive of
// pull and the picture of screenshot. No response redirects.
//
// Package server also uses RequestID and CleanPath for the other doors.
package rest
