// Package rest is the REST door: HTTP and JSON for the operations of package graph. Only package
// server uses it.
//
// routes in router.go is the table of all endpoints. A handler decodes, calls one operation, and
// responds. It has no rule, and cannot import the database. CONTRIBUTING.md, Names, says
// in which file a handler is.
//
// A response is JSON with the envelope of API section 1, and an error is JSON with the body of API
// section 7 (internal/envelope). Only the archive of pull and the picture of screenshot are not JSON.
// No response redirects.
//
// Package server also uses RequestID and StripEmptySegments for the other doors.
//
// # The order of a request
//
// Each step may respond, and the order is the API's (API section 5: a key is checked before
// anything else):
//
//	RequestID             the id in the header, also of a refusal
//	cors.API              preflights, which need no key and count against no limit
//	recoverPanic          500
//	StripEmptySegments    doubled and trailing slashes, without a redirect
//	keylessRouter         the few routes that need no key
//	Bearer                401
//	router                selects the endpoint by the path and the method
//	limited               429 with Retry-After
//	noEndpoint            404 "Endpoint not found"
//	methods.refuse        405 with Allow
//	the handler           400, 413, 422; and what the resolver refuses
package rest
