// Package web serves the pages of sign-in, sign-up, consent and account. They are plain HTML with
// one style sheet, and work without scripts, except passkeys and the copy button. Packages oauth,
// web/console and web/page render their pages with a Site, and package server mounts it.
//
// A session is a random token in a cookie. The database stores the session by the hash of the
// token. A new password, a revoked key or a linked identity ends every session of the account,
// because each session contains a proof of the access version with which it was started.
//
// # Requests from other sites
//
// The headers that browsers add (Sec-Fetch-Site, Origin) show that a form comes from another
// site. Such a form is refused before the session is read. The consent page needs more, because
// a client leads the browser to it: its form also contains a token, which only a page of this
// session has. A door that accepts sessions besides keys calls Site.Caller, which accepts only
// requests of our own pages.
//
// # Guessing passwords
//
// No response shows whether an account exists, neither by its text nor by its time. The exception
// is sign-up, which cannot avoid it. Failures are limited by address and not by account, because
// with a limit by account anyone could lock out its owner.
package web
