// Package rest is the v1 facade: HTTP and JSON over the resolvers of package
// graph. A handler decodes, calls one resolver method, and responds; no rule of
// the domain stands here, and no table is in reach. Only package server uses it.
//
// Every answer is JSON with the envelope of API section 1, errors included, and
// nothing redirects. RequestID and CleanPath do for any door what they do
// for this one.
package rest
