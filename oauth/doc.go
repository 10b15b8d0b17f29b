// Package oauth is the authorization server: the authorization code flow with PKCE for public
// clients. A client gets the API key of the account that agrees (API section 5). Package web shows
// the pages. Only package server uses it. Clients see the errors of RFC 6749, never a model.Error.
//
// The library go-oauth2 validates the exchange of a code. It stores nothing: codes and clients are
// rows of our database, and the access token is the API key (see library.go).
//
// # What a client can prove
//
// A client can prove only its redirect URI. It has no secret, and anybody can register a client
// with any name. So the consent page appears each time, and names the host that gets the key.
// Redirect URIs are compared exactly. An error is a page unless the user has agreed to the client
// before. A client that a document describes has a verified host, which the page also names.
//
// # What a code is bound to
//
// A code is bound to the client, the redirect URI, the PKCE challenge, and the access version of
// the account: a code from before a revocation or a new password is invalid. A code can be
// exchanged once, even if the exchange fails.
//
// # Which document decides what
//
//	GET  /authorize                 RFC 6749 section 4.1.1, RFC 7636 section 4.3, RFC 8707, RFC 9207
//	POST /token                     RFC 6749 sections 4.1.3 and 5, RFC 7636 section 4.6
//	POST /register                  RFC 7591 sections 3.1 and 3.2
//	POST /revoke                    RFC 7009 section 2
//	/.well-known/oauth-...          RFC 8414 section 3, RFC 9728 section 3
//	redirect URIs                   RFC 6749 section 3.1.2, RFC 8252 section 7.3
//	clients named by an address     draft-ietf-oauth-client-id-metadata-document
//
// # What it refuses
//
//	an unknown client or redirect URI    400, a page; never a redirect
//	another fault of the request         a redirect with error, if the user knows the client; else a page
//	no code_challenge, or method plain   invalid_request
//	a used, expired or foreign code      invalid_grant
//	a verifier that does not match       invalid_grant, and the code is used up
//	a client with a secret               invalid_client
//	refresh_token and other grants       unsupported_grant_type
package oauth
