package auth

import (
	"context"
	"fmt"
	"runtime"
	"unicode/utf8"

	"github.com/alexedwards/argon2id"

	"portico/model"
)

const (
	// MinPassword is how many characters a password must have (NIST SP
	// 800-63B section 5.1.1.2).
	MinPassword = 8
	// MaxPassword is how many bytes a password may have.
	MaxPassword = 1024
)

// decoy is the hash of a password that nobody knows, with the parameters of
// hashParams. An account that is not there is checked against it, so that the
// answer takes as long as for one that is.
const decoy = "$argon2id$v=19$m=19456,t=2,p=1$Miz5c2CqPiUROpIbqyE+4A$JQ8JarzeP8CCAfY+UZkyneCGfMk/7TKd0gdtsBp9Hvk"

// Passwords hashes passwords with argon2id, a bounded number at a time: each
// takes 19 MiB and a core.
type Passwords struct {
	slots  chan struct{}
	common commonPasswords
}

// NewPasswords returns a hasher that uses at most all cores.
func NewPasswords() *Passwords {
	return &Passwords{slots: make(chan struct{}, runtime.GOMAXPROCS(0)), common: newCommonPasswords()}
}

// Hash returns the hash to store. A password that is too short, too long or among
// the most common ones is CodeInvalid.
func (p *Passwords) Hash(ctx context.Context, password string) (string, error) {
	if utf8.RuneCountInString(password) < MinPassword {
		return "", model.Invalidf("password must have at least %d characters", MinPassword)
	}
	if len(password) > MaxPassword {
		return "", model.Invalidf("password must have at most %d bytes", MaxPassword)
	}
	// NIST SP 800-63B section 5.1.1.2
	if common, err := p.common.contains(password); err != nil {
		return "", err
	} else if common {
		return "", model.Invalidf("password is one of the most common ones. Choose another")
	}
	if err := p.wait(ctx); err != nil {
		return "", err
	}
	defer p.done()
	return argon2id.CreateHash(password, hashParams())
}

// CanBePassword reports whether there may be an account with the password. An empty one
// has none, nor one that is too long.
func CanBePassword(password string) bool {
	return password != "" && len(password) <= MaxPassword
}

// Match reports whether the hash is the password's. It takes the same time for an
// empty hash, which no password has; what cannot be anybody's password costs
// nothing.
func (p *Passwords) Match(ctx context.Context, password, hash string) (bool, error) {
	if !CanBePassword(password) {
		return false, nil
	}
	stored := hash
	if hash == "" {
		stored = decoy
	}
	if err := p.wait(ctx); err != nil {
		return false, err
	}
	defer p.done()
	matches, err := argon2id.ComparePasswordAndHash(password, stored)
	if err != nil {
		return false, fmt.Errorf("check a password: %w", err)
	}
	return matches && stored == hash, nil
}

func (p *Passwords) wait(ctx context.Context) error {
	select {
	case p.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *Passwords) done() { <-p.slots }

// hashParams are OWASP's (Password Storage Cheat Sheet).
func hashParams() *argon2id.Params {
	return &argon2id.Params{Memory: 19 << 10, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32}
}
