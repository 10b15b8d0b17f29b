// Package rest is the v1 facade: HTTP and JSON over the resolvers of package
// graph. A handler decodes, calls one resolver method, and responds. It contains no rule of
// the domain and reaches no table. Only package server uses it.
//
// Every answer is JSON with the envelope of API section 1, errors included, and
// nothing redirects. RequestID and CleanPath serve the other doors too.
package rest
