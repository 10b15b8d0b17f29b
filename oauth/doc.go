// Package oauth is the authorization server: authorization code flow with PKCE
// for public clients, which get the API key of the account that agrees (API
// section 5). Package web shows its pages; package server mounts it. Clients see the errors
// of RFC 6749, never a model.Error.
//
// The library go-oauth2 validates the exchange of a code. It keeps nothing: codes and
// clients are rows of ours, and the access token is the API key (see library.go).
package oauth
