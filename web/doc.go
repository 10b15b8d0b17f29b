// Package web serves the pages that a person sees: sign in, sign up, consent,
// account. They are plain HTML that works without scripts, with embedded styles. Package
// oauth shows its pages through a Site; package server mounts it.
//
// A session is a random token in a cookie, whose hash names a row in the database. It ends
// with the account's access: a new password, a revoked key or a linked identity ends every
// session, because each holds a proof of the access that it was started with.
package web
