// Package oauth is the authorization server: authorization code flow with PKCE
// for public clients, which get the API key of the account that agrees (API
// section 5). Package web shows its pages; package server mounts it. Clients see the errors
// of RFC 6749, never a model.Error.
//
// The library go-oauth2 validates the exchange of a code. It keeps nothing: codes and
// clients are rows of ours, and the access token is the API key (see library.go).
//
// # What a client can prove
//
// Nothing but its redirect URI. A public client has no secret, and anybody can register
// one with any name. So the consent page appears each time and names the host that gets the
// key, redirect URIs are compared exactly, and an error is a page unless the person has
// agreed to the client before. A client that is described by a document has a verified
// host, which the page names too.
//
// # What a code is bound to
//
// The client, the redirect URI, the PKCE challenge, and the version of the account's
// access: a code from before a revocation or a new password is worthless. An exchange
// spends the code, even if it fails.
package oauth
