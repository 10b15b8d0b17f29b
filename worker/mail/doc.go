// Package mail writes and sends the mail of accounts: links that confirm an address or set a
// new password, and the notice that an address was changed. Package worker sends it, and
// package server reads the settings.
//
// A mail server must offer TLS, because a link gives access to an account: with smtps from the
// start, with smtp by STARTTLS. Only a server on the same machine may be used without TLS.
package mail
