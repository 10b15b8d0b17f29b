// Package accounts has what people do with their own account: its name, address, password, passkeys,
// codes, identities, sessions and apps, and its end.
package accounts

import (
	"context"
	"encoding/json"
	"log/slog"

	"portico/db"
	"portico/graph/access"
	"portico/graph/object"
	"portico/model"
)

// Service has the operations on the caller's own account.
type Service struct {
	access     *access.Rules
	db         *db.DB
	objects    *object.Remover
	registry   Registry
	identities Identities
	logger     *slog.Logger
}

// Parts are what a Service is made of.
type Parts struct {
	Access  *access.Rules
	DB      *db.DB
	Objects *object.Remover
	// Registry may be nil if nobody changes how people sign in.
	Registry Registry
	// Identities may be nil if there is no provider of identities.
	Identities Identities
	Logger     *slog.Logger
}

// New returns the operations of these parts.
func New(p Parts) *Service {
	return &Service{access: p.Access, db: p.DB, objects: p.Objects, registry: p.Registry, identities: p.Identities, logger: p.Logger}
}

// Registry checks and changes the passwords, passkeys and codes with which people sign in. It is an
// interface because the core does not depend on how callers are authenticated; *account.Registry
// implements it.
type Registry interface {
	access.Proof
	// HashLinkPassword returns the hash of the password of a share link; "" for no password.
	HashLinkPassword(ctx context.Context, password string) (string, error)
	// SetPassword sets the password of the caller, and ends all access except the caller's
	// session.
	SetPassword(ctx context.Context, caller *model.Caller, password string) error
	// EndOtherSessions ends all sessions of the caller except the session of the request.
	EndOtherSessions(ctx context.Context, caller *model.Caller) error
	// HasPasskeys reports whether people can sign in to this server with passkeys.
	HasPasskeys() bool
	// StartPasskey returns the options with which a browser creates a passkey, as JSON.
	StartPasskey(ctx context.Context, caller *model.Caller) (json.RawMessage, error)
	// AddPasskey stores the passkey that a browser created.
	AddPasskey(ctx context.Context, caller *model.Caller, name string, credential json.RawMessage) error
	// StartOneTimeCodes creates a secret for an authenticator app. Its codes are off until
	// ConfirmOneTimeCodes.
	StartOneTimeCodes(ctx context.Context, caller *model.Caller) (*model.OneTimeSecret, error)
	// ConfirmOneTimeCodes turns the codes on, if code is a code of the secret, and returns the
	// recovery codes.
	ConfirmOneTimeCodes(ctx context.Context, caller *model.Caller, code string) ([]string, error)
	// SendsMail reports whether the operator has configured a mail server.
	SendsMail() bool
	// SendConfirmation mails a link to the address, which is the caller's or the new one of a change
	// that waits. Opening the link makes it the confirmed address of the caller's account.
	SendConfirmation(ctx context.Context, caller *model.Caller, email string) error
	// StartEmailChange mails a link to a new address, and stores that the change waits for it.
	StartEmailChange(ctx context.Context, caller *model.Caller, email string) error
}

// Identities connects accounts to the OpenID Connect provider of this server. It is an interface
// for the same reason as Registry; *web.Site implements it, because it serves the page to which the
// provider sends the browser back.
type Identities interface {
	// IdentityProvider returns the issuer of the provider; "" for none.
	IdentityProvider() string
	// StartIdentity returns the address at the provider, from which the browser of the caller
	// returns with an identity of the account.
	StartIdentity(ctx context.Context, caller *model.Caller) (string, error)
}
