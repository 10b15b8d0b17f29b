package web

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"portico/internal/counter"
)

// attemptWindow is the period in which failures are counted.
const attemptWindow = 15 * time.Minute

// signInLimits limits the guessing of passwords and the creation of accounts. A nil field means no
// limit.
//
// They are counted in the memory of this process. Replicas each count their own, so the limits of a
// server are as many times higher as it has replicas.
type signInLimits struct {
	byAccountAndAddress *counter.Attempts // failures by address and account, which need not exist
	byAddress           *counter.Attempts // failures by address
	signUpsByAddress    *counter.Attempts // by address, successful or not
	sessionsByAccount   *counter.Attempts // sign-ins that succeed, by account
	externalByAddress   *counter.Attempts // by address; each creates a session
	mailsByAddress      *counter.Attempts // by address of the client
	linksByAddress      *counter.Attempts // share links that do not exist, and wrong passwords, by address
	passwordsByLink     *counter.Attempts // wrong passwords of a share link, from all addresses
}

// maxSignIns is the maximum number of sign-ins to an account in attemptWindow. Only somebody who can
// sign in can reach it, so nobody can lock out the owner with it.
const maxSignIns = 60

// newSignInLimits returns limits that a person who has forgotten a password does not reach: 10
// failures for one account from one address, and 100 for an address, which a whole office may
// share. There is no limit for an account from all addresses, because anyone could use it to lock
// out the owner.
func newSignInLimits(unlimited bool) signInLimits {
	if unlimited {
		return signInLimits{}
	}
	return signInLimits{
		byAccountAndAddress: counter.NewAttempts(10, attemptWindow), byAddress: counter.NewAttempts(100, attemptWindow),
		sessionsByAccount: counter.NewAttempts(maxSignIns, attemptWindow),
		signUpsByAddress:  counter.NewAttempts(20, time.Hour), externalByAddress: counter.NewAttempts(100, attemptWindow),
		mailsByAddress: counter.NewAttempts(20, time.Hour),
		linksByAddress: counter.NewAttempts(60, attemptWindow), passwordsByLink: counter.NewAttempts(200, attemptWindow),
	}
}

// AttemptSubject returns the subject by which attempts are counted: the address of the client,
// or for IPv6 its /64 network, which is the network of one customer.
func (s *Site) AttemptSubject(r *http.Request) string { return s.clientOf(r) }

// countOperation counts a request of an account in the rate limit of the GraphQL operation with the
// same effect.
func (s *Site) countOperation(ctx context.Context, userID, operation string) error {
	if s.takeLimit == nil {
		return nil
	}
	return s.takeLimit(ctx, userID, operation)
}

// tooManyAttempts sets Retry-After, and returns the text for a person who must wait. The time is
// rounded up to minutes.
func (s *Site) tooManyAttempts(w http.ResponseWriter, r *http.Request, wait time.Duration) string {
	SetRetryAfter(w.Header(), wait)
	n := int((wait + time.Minute - 1) / time.Minute)
	if n <= 1 {
		return s.say(r, "Too many attempts. Try again in a minute")
	}
	return s.say(r, "Too many attempts. Try again in {n} minutes", "n", strconv.Itoa(n))
}
