// Package account has the rules of accounts: who may create one, with which plan and quota, which
// account belongs to a person from a provider, how owners prove that an account is theirs, what a
// passkey or a one-time code proves, and what a new password ends. Package server makes one
// Registry. Package web calls it for the pages of sign-in and sign-up, and package graph, as
// accounts.Registry, for the console.
//
// The package knows no requests and no cookies. Package web keeps the sessions of browsers, so a
// change that ends all other sessions calls Options.RenewSession in its transaction.
//
// # Accounts of other people
//
// Anyone can sign up with the address of another person, because signing up waits for no mail.
// Such an account is unproven. When the owner of the address shows up, by a link in a mail or
// with a verified address from a provider, the account becomes theirs, and everything with which
// the other person could sign in is removed, and their webhooks too.
package account

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/go-webauthn/webauthn/webauthn"

	"portico/auth"
	"portico/db"
	"portico/internal/counter"
	"portico/model"
)

// Options are the dependencies and settings of a Registry.
type Options struct {
	// DB stores accounts and sessions.
	DB *db.DB
	// Keys encrypts the secrets of one-time codes. Only the methods of these codes need it.
	Keys *auth.Keys
	// BaseURL is the public address of the server. Authenticator apps label its codes with the
	// host, and its passkeys belong to the host. Empty means that there are no passkeys.
	BaseURL string
	// Passwords hashes passwords. Nil means a new hasher. Share one hasher in a process, because
	// it limits the memory of concurrent hashes.
	Passwords *auth.Passwords
	// Signup lets people create accounts themselves, by password or by the external provider.
	Signup bool
	// Plan is the plan of an account that signs up. Empty means model.PlanFree.
	Plan model.Plan
	// Quota is the storage quota of an account that signs up, in bytes.
	Quota int64
	// FirstCode is the code that is required to create the first account of the server (see
	// function FirstCode). Empty means that no code is required.
	FirstCode string
	// SendsMail reports whether workers send the mails that the registry queues.
	SendsMail bool
	// RenewSession keeps one session of an account valid whose access has changed. Only
	// SetPassword and EndOtherSessions need it.
	RenewSession RenewSession
	// Now is the clock of one-time codes. Nil means time.Now.
	Now func() time.Time
	// Unlimited turns off the limits of attempts, for load tests.
	Unlimited bool
	// Logger logs which accounts were taken over, and why passkeys were refused. Nil means
	// slog.Default().
	Logger *slog.Logger
}

// RenewSession makes the session of the caller valid for the account after a change, under a new
// token, in the transaction of the change. The function that it returns sends the token to the
// browser, after the commit. It returns CodeUnauthenticated if the session has ended or does not
// belong to the account before the change.
type RenewSession func(ctx context.Context, tx *db.DB, caller *model.Caller, before, after *model.User) (send func(), err error)

// Registry creates accounts, finds them, and changes how their owners sign in. Its methods may be
// called concurrently.
type Registry struct {
	db           *db.DB
	keys         *auth.Keys
	host         string             // of the server, for authenticator apps
	passkeys     *webauthn.WebAuthn // nil if the host cannot have passkeys
	now          func() time.Time   // the clock of one-time codes
	passwords    *auth.Passwords
	signup       bool
	plan         model.Plan // of a new account
	quota        int64      // of a new account, in bytes
	firstCode    string
	sendsMail    bool
	renewSession RenewSession
	log          *slog.Logger
	hasAccounts  atomic.Bool // whether the database was seen to have an account
	limits       attemptLimits
}

// New returns a registry. It returns an error if BaseURL is not an address.
func New(o Options) (*Registry, error) {
	base, err := url.Parse(o.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("the base URL %q: %w", o.BaseURL, err)
	}
	r := &Registry{
		db: o.DB, keys: o.Keys, host: base.Hostname(), now: o.Now, passwords: o.Passwords, signup: o.Signup, plan: o.Plan, quota: o.Quota, firstCode: o.FirstCode,
		sendsMail: o.SendsMail, renewSession: o.RenewSession, log: cmp.Or(o.Logger, slog.Default()),
		limits: newAttemptLimits(o.Unlimited),
	}
	if r.now == nil {
		r.now = time.Now
	}
	if r.passwords == nil {
		r.passwords = auth.NewPasswords()
	}
	if r.passkeys, err = newPasskeys(base); err != nil {
		return nil, fmt.Errorf("the base URL %q: %w", o.BaseURL, err)
	}
	return r, nil
}

// attemptLimits limits the guesses of people who are signed in or know the password, and the mails
// to one person. A nil field means no limit.
//
// They are counted in the memory of this process. Replicas each count their own, so the limits of a
// server are as many times higher as it has replicas.
type attemptLimits struct {
	byOwner *counter.Attempts // wrong passwords by account, of people who are signed in to it
	byCode  *counter.Attempts // wrong one-time codes of people who know the password, by account
	mails   *counter.Attempts // mails by purpose and address of the recipient, or by account
}

// newAttemptLimits returns the limits that the comments of RequireProof, UseCode and
// SendConfirmation state.
func newAttemptLimits(unlimited bool) attemptLimits {
	if unlimited {
		return attemptLimits{}
	}
	return attemptLimits{
		byOwner: counter.NewAttempts(10, 15*time.Minute),
		byCode:  counter.NewAttempts(10, 15*time.Minute),
		mails:   counter.NewAttempts(model.MaxMailsPerHour, time.Hour),
	}
}

// TooManyAttempts returns the error that refuses an attempt until wait is over.
func TooManyAttempts(wait time.Duration) error {
	return &model.Error{Code: model.CodeRateLimited, Message: "Too many attempts. Try again later", RetryAfter: wait}
}
