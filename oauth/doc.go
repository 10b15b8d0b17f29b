// Package oauth is the authorization server: the authorization code flow with PKCE for public clients.
// A client gets the API key of the account that agrees (API section 5). Package web shows the pages.
// Only package server uses it. Clients see the errors of RFC 6749, never a model.Error.
//
// The library go-oauth2 validates the exchange of a code. It stores nothing: codes and clients are rows
// of our database, and the access token is the API key (see library.go).
//
// # What a client can prove
//
// A client can prove only its redirect URI. It has no secret, and anybody can register a client with any
// name. So the consent page appears each time, and names the host that gets the key. Redirect URIs are
// compared exactly. An error is a page unless the user has agreed to the client before. A client that a
// document describes has a verified host, which the page also names.
//
// # What a code is bound to
//
// A code is bound to the client, the redirect URI, the PKCE challenge, and the access version of the
// account: a code from before a revocation or a new password is invalid. A code can be exchanged once,
// even if the exchange fails.
package oauth
