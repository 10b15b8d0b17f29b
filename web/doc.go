// Package web serves the pages that a person sees: sign in, sign up, consent,
// account. They are plain HTML that works without scripts, with embedded styles. Package
// oauth shows its pages through a Site; package server mounts it.
//
// A session is a random token in a cookie, whose hash names a row in the database. It ends
// with the account's access: a new password, a revoked key or a linked identity ends every
// session, because each holds a proof of the access that it was started with.
//
// # Other sites
//
// A form from another site is refused by the headers that browsers add (Sec-Fetch-Site,
// Origin), before the session is read. The consent page needs more, because a client leads
// the browser to it: its form also carries a ticket, which only a page of this session has.
// A door that accepts sessions besides keys calls Site.Caller, which accepts requests of
// our own pages only.
//
// # Guessing
//
// No answer shows whether an account exists, neither by its text nor by its time, except
// sign-up, which cannot avoid it. Failures are limited by address, and not by account: a
// limit by account would let anyone lock its owner out.
package web
