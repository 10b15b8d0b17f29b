// Package supersplat is the door for programs that publish to SuperSplat: version 1 of its API, which
// docs/supersplat.md describes. Only package server uses it.
//
// It is a door like package rest: a handler decodes, calls one operation of package graph, and
// responds. A splat is a space, with the same id; its title and description are the texts of the
// space. A splat that is listed is a Public space, and any other is unlisted.
//
// It differs from package rest in what its clients need. Bodies have no envelope, an error is
// {"error": text}, and a file over the quota of the account is 413, because these clients repeat a
// request after any status of the server's own.
//
// The parts of an upload are sent without a key, each to an address with a signature: see address.
package supersplat
