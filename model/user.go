package model

import (
	"errors"
	"net/mail"
	"strings"
)

// Plan is the plan of an account. Link Only privacy requires PlanPro.
type Plan string

// Only the operator of the server sets the plan of an account.
const (
	PlanFree Plan = "free"
	PlanPro  Plan = "pro"
)

// User is an account: the owner of spaces, files, jobs and one API key.
type User struct {
	// ID is a decimal string of 8 digits, the prefix of the ids of the user's spaces.
	ID    string `bun:",pk"`
	Email string // lower case, unique
	Name  string
	// PasswordHash is the argon2id hash; empty for an account that signs in with OpenID
	// Connect only.
	PasswordHash string
	Plan         Plan
	// Quota is how many bytes the account may store.
	Quota int64
	// AccessVersion is incremented to end all access to the account. Sessions and
	// authorization codes of an older version are invalid.
	AccessVersion int64
	// KeyVersion is incremented by everything that ends a key of the account. Signed addresses of
	// an older version are invalid.
	KeyVersion int64
	CreatedAt  Time
	ChangedAt  Time
}

// Storage is how much of the quota of an account is used, in bytes.
type Storage struct {
	Used     int64 // by files, and by the JSON of spaces and entities
	Reserved int64 // for unconfirmed uploads whose URL has not expired, and for JSON
	Quota    int64
}

// Free returns how many bytes can still be reserved, never less than zero.
func (s Storage) Free() int64 { return max(0, s.Quota-s.Used-s.Reserved) }

// APIKey is a stored API key. It has no plain text: the key is found by Lookup, and the
// account page shows the key of Sealed.
type APIKey struct {
	ID     string `bun:",pk"`
	UserID string
	// Lookup is the SHA-256 of the key. A key of 256 random bits needs no slow hash.
	Lookup []byte
	// Sealed is the key, encrypted with the server's secret and bound to UserID.
	Sealed    []byte
	CreatedAt Time
	RevokedAt Time `bun:",nullzero"`
}

// ErrKeySealed is the error for a valid API key that cannot be shown, because it was encrypted with
// another PORTICO_SECRET. The user has to generate a new key.
var ErrKeySealed = errors.New("the API key was sealed with another secret")

// CreateUser is the input of `portico user add` and of the sign-up page.
type CreateUser struct {
	Email        string
	Name         string // the part of the address before the @ when empty or blank
	PasswordHash string
	Plan         Plan  // PlanFree when empty
	Quota        int64 // bytes
}

// Validate refuses an invalid address, name or quota. It also sets the defaults and normalises the
// address and the name.
func (in *CreateUser) Validate() error {
	email, err := NormaliseEmail(in.Email)
	if err != nil {
		return err
	}
	in.Email = email
	if strings.TrimSpace(in.Name) == "" {
		in.Name, _, _ = strings.Cut(email, "@")
	}
	if in.Plan == "" {
		in.Plan = PlanFree
	}
	if err := CheckQuota(in.Quota); err != nil {
		return err
	}
	in.Name, err = AccountName(in.Name)
	return err
}

// CheckQuota refuses a negative quota. 0 is allowed: it stops an account from storing more.
func CheckQuota(quota int64) error {
	if quota < 0 {
		return InvalidField("quota", "must not be negative")
	}
	return nil
}

// EmailTaken returns the error that refuses the address of another account.
func EmailTaken() *Error {
	return InvalidField("email", "belongs to another account").WithReason(ReasonTaken)
}

// UserFolder returns the folder of the store that contains all objects of an account.
func UserFolder(id string) string { return id + "/" }

// maxAccountName is the maximum number of characters of an account's name.
const maxAccountName = 200

// AccountName returns the name of an account without spaces around it. It refuses a name
// that is empty or too long.
func AccountName(name string) (string, error) {
	name = strings.TrimSpace(name)
	if name == "" {
		return "", InvalidField("name", "must not be empty")
	}
	return name, checkName("name", name, maxAccountName)
}

// NormaliseEmail returns the address in lower case. It returns CodeInvalid for a text that is not
// an e-mail address.
func NormaliseEmail(email string) (string, error) {
	refused := InvalidField("email", "must be an e-mail address")
	if len(email) > 254 { // RFC 5321 section 4.5.3.1.3
		return "", refused
	}
	address, err := mail.ParseAddress(email)
	if err != nil || address.Address != strings.TrimSpace(email) || strings.ContainsFunc(address.Address, isDisruptive) {
		return "", refused
	}
	return strings.ToLower(address.Address), nil
}
