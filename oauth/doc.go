// Package oauth is the authorization server: authorization code flow with PKCE
// for public clients, which get the API key of the account that agrees (API
// section 5). Package web shows its pages; package cmd mounts it. Errors are
// the errors of RFC 6749 and not model.Error, which never leaves it.
package oauth
