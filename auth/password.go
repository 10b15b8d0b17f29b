package auth

import (
	"context"
	"fmt"
	"runtime"
	"strconv"
	"unicode/utf8"

	"github.com/alexedwards/argon2id"
	"golang.org/x/sync/semaphore"
	"golang.org/x/text/unicode/norm"

	"portico/model"
)

const (
	// MinPassword is the minimum number of characters (NIST SP 800-63B section 5.1.1.2).
	MinPassword = 8
	// MaxPassword is the maximum number of bytes.
	MaxPassword = 1024
)

// decoy is the hash of a password that nobody knows, with the parameters of hashParams. For an
// account that does not exist, Match compares the password with it, so that the time of a response
// does not reveal which accounts exist.
const decoy = "$argon2id$v=19$m=19456,t=2,p=1$Miz5c2CqPiUROpIbqyE+4A$JQ8JarzeP8CCAfY+UZkyneCGfMk/7TKd0gdtsBp9Hvk"

// Passwords hashes passwords with argon2id, a bounded number at a time: each
// takes 19 MiB and a core.
//
// Waiting requests keep their order. A flood of sign-ins takes longer, but does not take more
// memory.
type Passwords struct {
	slots  *semaphore.Weighted
	common commonPasswords
}

// NewPasswords returns a hasher that hashes up to GOMAXPROCS passwords at a time.
func NewPasswords() *Passwords {
	return &Passwords{slots: semaphore.NewWeighted(int64(runtime.GOMAXPROCS(0))), common: newCommonPasswords()}
}

// normalize returns the form of a password that is hashed. The same letters, such as ä, have other
// bytes on other devices and in other browsers (RFC 8265 section 4.2.2).
func normalize(password string) string { return norm.NFC.String(password) }

// Hash returns the hash to store. It returns CodeInvalid for a password that is too short,
// too long or too common.
func (p *Passwords) Hash(ctx context.Context, password string) (string, error) {
	password = normalize(password)
	if utf8.RuneCountInString(password) < MinPassword {
		return "", refusePassword("Password must have at least {n} characters", MinPassword)
	}
	if len(password) > MaxPassword {
		return "", refusePassword("Password must have at most {n} bytes", MaxPassword)
	}
	// NIST SP 800-63B section 5.1.1.2
	if common, err := p.common.contains(password); err != nil {
		return "", err
	} else if common {
		return "", model.Invalidf("Password is one of the most common ones. Choose another").WithField("password")
	}
	return p.hash(ctx, password)
}

// hash returns the hash of a normalised password.
func (p *Passwords) hash(ctx context.Context, password string) (string, error) {
	if err := p.slots.Acquire(ctx, 1); err != nil {
		return "", err
	}
	defer p.slots.Release(1)
	return argon2id.CreateHash(password, hashParams())
}

// refusePassword returns a CodeInvalid error of the field password. Forms and the command line show
// its message to people, so it does not start with the name of a field.
func refusePassword(template string, n int) error {
	return model.InvalidTemplate(template, map[string]string{"n": strconv.Itoa(n)}).WithField("password")
}

// CanBePassword reports whether an account may have the password: it is neither empty nor
// too long.
func CanBePassword(password string) bool {
	return password != "" && len(normalize(password)) <= MaxPassword
}

// Match reports whether the hash is the hash of the password. An empty hash, of an account
// that does not exist, takes the same time and never matches. A text that no account can
// have as its password is refused at once.
func (p *Passwords) Match(ctx context.Context, password, hash string) (bool, error) {
	if !CanBePassword(password) {
		return false, nil
	}
	stored := hash
	if hash == "" {
		stored = decoy
	}
	if err := p.slots.Acquire(ctx, 1); err != nil {
		return false, err
	}
	defer p.slots.Release(1)
	matches, err := argon2id.ComparePasswordAndHash(normalize(password), stored)
	if err != nil {
		return false, fmt.Errorf("check a password: %w", err)
	}
	return matches && stored == hash, nil
}

// hashParams returns the parameters that OWASP recommends (Password Storage Cheat Sheet).
func hashParams() *argon2id.Params {
	return &argon2id.Params{Memory: 19 << 10, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32}
}
