package web

import (
	"context"
	"net/http"
	"time"

	"portico/limit"
)

// guessWindow is the time in which wrong passwords count.
const guessWindow = 15 * time.Minute

// signInLimits stop who guesses, and who floods the database with accounts.
type signInLimits struct {
	byGuesser *limit.Attempts // failures, by address and account, whether there is such an account or not
	byAddress *limit.Attempts // failures
	signUps   *limit.Attempts // by address, whether they succeed or not
	external  *limit.Attempts // by address: each starts a session
}

// newSignInLimits chooses numbers that a person who has forgotten a password does
// not reach: 10 guesses for an account from one address, and for an address, behind
// which a whole office may sit, 100 in a quarter of an hour. An account has no limit
// of its own: anyone could lock its owner out with it.
func newSignInLimits(unlimited bool) signInLimits {
	if unlimited {
		return signInLimits{}
	}
	return signInLimits{
		byGuesser: limit.NewAttempts(10, guessWindow), byAddress: limit.NewAttempts(100, guessWindow),
		signUps: limit.NewAttempts(20, time.Hour), external: limit.NewAttempts(100, guessWindow),
	}
}

// Sender returns whom attempts count for: the address that a request comes from, or
// the network of one customer where it is IPv6.
func (s *Site) Sender(r *http.Request) string { return string(s.limiter.AddressSubject(r)) }

// takeOperation counts what an account does to its API key as the operation of
// GraphQL that it equals.
func (s *Site) takeOperation(ctx context.Context, userID, operation string) error {
	return s.limiter.Take(ctx, limit.UserSubject(userID), limit.ScopeOf(operation))
}
