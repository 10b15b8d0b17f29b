package graph

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"portico/db"
	"portico/graph/access"
	"portico/graph/presence"
	"portico/limit"
	"portico/model"
	"portico/storage"
)

// Options are what a Resolver is made of. DB, Store, Settings and Logger are required.
// New checks all of them except Settings, whose zero value is not complete.
type Options struct {
	// DB has the rows; its owner closes it.
	DB *db.DB
	// Store has the bytes of uploads and files; its owner closes it.
	Store storage.Store
	// Settings must be complete: there are no defaults.
	Settings Settings
	// EffectiveSettings are the settings of the process, for operators.
	EffectiveSettings []*model.Setting
	// StoreRequests stores the counts of requests that this process has in memory, before an
	// operator reads the stored counts. Nil means that the process counts none.
	StoreRequests func(ctx context.Context) error
	// Keys replaces and revokes API keys; *auth.Keys implements it. Only operations on keys and
	// webhooks need it.
	Keys Keys
	// Accounts proves who callers are. Only operations for browsers that are signed in need it.
	Accounts Accounts
	// Identities starts connections to the OpenID Connect provider. Only operations on the caller's
	// own account need it.
	Identities Identities
	// Exports signs the addresses of exports of accounts. Only these addresses need it.
	Exports *ExportLinks
	// Presence has the visitors of spaces; its owner closes it. Only operations on visitors need it.
	Presence *presence.Rooms
	// Limiter limits how many bytes of JSON an account writes. Nil means no limit.
	Limiter *limit.Limiter
	// Logger receives internal errors, and failures that no response reports.
	Logger *slog.Logger
}

// Settings are the limits and addresses that an operator sets.
type Settings struct {
	// WebURL is the base of space addresses, without a final slash.
	WebURL string
	// Formats are the accepted file name extensions, without the dot, in lower case.
	Formats []string
	// MaxFileSize is the largest upload in bytes.
	MaxFileSize int64
	// MaxPutSize is the largest upload by one presigned PUT in bytes; 0 means MaxFileSize.
	MaxPutSize int64
	// AsyncThreshold is a size in bytes. A larger file is confirmed by a job, as an archive of
	// any size is.
	AsyncThreshold int64
	// UploadTTL is how long a presigned URL works.
	UploadTTL time.Duration
	// JobTTL is how long REST, MCP and subscriptions show a job after its end; 0 means no limit.
	// GraphQL queries show ended jobs as long as they are stored.
	JobTTL time.Duration
	// History limits the histories of spaces. The zero value keeps no history.
	History model.HistoryLimits
}

// Keys replaces and revokes the API keys of accounts, and makes secrets. It is an interface because
// the core does not depend on how callers are authenticated.
type Keys interface {
	// Replace replaces the caller's key, if it is still valid, and returns the new key.
	Replace(ctx context.Context, caller *model.Caller) (string, error)
	// RevokeOwn revokes the caller's key, if it is still valid, and with it all sessions
	// and authorization codes of the account.
	RevokeOwn(ctx context.Context, caller *model.Caller) error
	// NewWebhookSecret returns a new secret of a webhook, in plain text and encrypted.
	NewWebhookSecret(webhookID string) (secret string, sealed []byte)
}

// Accounts checks and changes the passwords, passkeys and codes with which people sign in. It is
// an interface for the same reason as Keys; *account.Registry implements it.
type Accounts interface {
	access.Proof
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
// for the same reason as Keys; *web.Site implements it, because it serves the page to which the
// provider sends the browser back.
type Identities interface {
	// IdentityProvider returns the issuer of the provider; "" for none.
	IdentityProvider() string
	// StartIdentity returns the address at the provider, from which the browser of the caller
	// returns with an identity of the account.
	StartIdentity(ctx context.Context, caller *model.Caller) (string, error)
}
