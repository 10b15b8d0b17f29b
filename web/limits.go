package web

import (
	"context"
	"net/http"
	"time"

	"portico/limit"
)

// guessWindow is the period in which wrong passwords count.
const guessWindow = 15 * time.Minute

// signInLimits limit the guessing of passwords and the creation of accounts. Nil limits
// nothing.
type signInLimits struct {
	byGuesser *limit.Attempts // failures by address and account, which need not exist
	byAddress *limit.Attempts // failures by address
	byOwner   *limit.Attempts // failures by account, of people who are signed in to it
	byCode    *limit.Attempts // wrong one-time codes by account, of people who know its password
	signUps   *limit.Attempts // by address, successful or not
	external  *limit.Attempts // by address; each creates a session
	mails     *limit.Attempts // by address of the client
	letters   *limit.Attempts // by purpose and address of the recipient, or by account
}

// newSignInLimits returns limits that a person who has forgotten a password does not reach:
// 10 failures for one account, and 100 for an address, which a whole office may share. An
// account has no limit of its own, because anyone could lock its owner out with it.
func newSignInLimits(unlimited bool) signInLimits {
	if unlimited {
		return signInLimits{}
	}
	return signInLimits{
		byGuesser: limit.NewAttempts(10, guessWindow), byAddress: limit.NewAttempts(100, guessWindow),
		byOwner: limit.NewAttempts(10, guessWindow), byCode: limit.NewAttempts(10, guessWindow),
		signUps: limit.NewAttempts(20, time.Hour), external: limit.NewAttempts(100, guessWindow),
		mails: limit.NewAttempts(20, time.Hour), letters: limit.NewAttempts(5, time.Hour),
	}
}

// Sender returns what attempts are counted by: the address of the client, or the /64 network
// for IPv6, which is what one customer has.
func (s *Site) Sender(r *http.Request) string { return string(s.limiter.AddressSubject(r)) }

// takeOperation counts a request of an account as the operation of GraphQL with the same
// effect.
func (s *Site) takeOperation(ctx context.Context, userID, operation string) error {
	return s.limiter.Take(ctx, limit.UserSubject(userID), limit.ScopeOf(operation))
}
