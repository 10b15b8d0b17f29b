package graph

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync/atomic"
	"time"

	"portico/db"
	"portico/graph/presence"
	"portico/model"
	"portico/storage"
)

// Settings are the rules that an operator sets.
type Settings struct {
	// WebURL is the base of space addresses, without a final slash.
	WebURL string
	// Formats are the accepted file name extensions, without the dot.
	Formats []string
	// MaxFileSize is the largest upload in bytes.
	MaxFileSize int64
	// MaxPutSize is the largest upload in bytes that is not resumable; 0 means MaxFileSize.
	MaxPutSize int64
	// AsyncThreshold is the size in bytes over which a file that is no archive
	// is confirmed by a job too.
	AsyncThreshold int64
	// UploadTTL is how long a presigned URL works.
	UploadTTL time.Duration
	// JobTTL is how long REST, MCP and subscriptions have a job after its end; 0 means no limit.
	// GraphQL has ended jobs as long as they are stored.
	JobTTL time.Duration
	// History bounds the histories of spaces. The zero value keeps none.
	History model.HistoryLimits
}

// Keys replaces and revokes the API keys of accounts, and makes secrets. It is an interface because the core
// does not depend on how callers are authenticated.
type Keys interface {
	// Replace replaces the caller's key, if it is still valid, and returns the new key.
	Replace(ctx context.Context, caller *model.Caller) (string, error)
	// RevokeOwn revokes the caller's key, if it is still valid, and with it all sessions
	// and authorization codes of the account.
	RevokeOwn(ctx context.Context, caller *model.Caller) error
	// NewWebhookSecret returns a new secret of a webhook, in plain text and encrypted.
	NewWebhookSecret(webhookID string) (secret string, sealed []byte)
}

// Accounts checks and changes what people prove who they are with. It is an interface for
// the same reason as Keys; *web.Site implements it.
type Accounts interface {
	// Prove returns nil if the caller has a session and has just shown to be the owner of
	// the account, with its password or by a recent sign-in.
	Prove(ctx context.Context, caller *model.Caller, password string) error
	// SetPassword sets the password of the caller, and ends all access but the caller's
	// session.
	SetPassword(ctx context.Context, caller *model.Caller, password string) error
	// EndOtherSessions ends all sessions of the caller but the one of the request.
	EndOtherSessions(ctx context.Context, caller *model.Caller) error
	// HasPasskeys reports whether people can sign in to this server with passkeys.
	HasPasskeys() bool
	// StartPasskey returns the options with which a browser makes a passkey.
	StartPasskey(ctx context.Context, caller *model.Caller) (json.RawMessage, error)
	// AddPasskey stores the passkey that a browser made.
	AddPasskey(ctx context.Context, caller *model.Caller, name string, credential json.RawMessage) error
	// StartOneTimeCodes makes a secret, and ConfirmOneTimeCodes turns its codes on and returns
	// the recovery codes.
	StartOneTimeCodes(ctx context.Context, caller *model.Caller) (*model.OneTimeSecret, error)
	ConfirmOneTimeCodes(ctx context.Context, caller *model.Caller, code string) ([]string, error)
	// SendsMail reports whether this server sends mail.
	SendsMail() bool
	// SendConfirmation mails a link that makes the address the confirmed one of the caller's
	// account.
	SendConfirmation(ctx context.Context, caller *model.Caller, email string) error
}

// Resolver implements every operation, for every door. Its fields are set once; its
// methods may be called concurrently.
type Resolver struct {
	// DB has the rows; its owner closes it.
	DB *db.DB
	// Store has the bytes of uploads and files.
	Store storage.Store
	// Settings must be complete: nothing is filled in.
	Settings Settings
	// InForce are the settings of the process, for operators.
	InForce []*model.Setting
	// StoreRequests stores the requests that this process has counted, before an operator reads
	// them; nil for none.
	StoreRequests func(ctx context.Context) error
	// Keys replaces and revokes API keys; *auth.Keys implements it.
	Keys Keys
	// Accounts proves who callers are; only operations of people who are signed in need it.
	Accounts Accounts
	// Exports signs the addresses of exports of accounts.
	Exports *ExportLinks
	// Presence has the visitors of spaces; its owner closes it.
	Presence *presence.Rooms
	// Logger receives internal errors, and failures that no answer reports.
	Logger *slog.Logger

	// first knows what viewers load first of captures.
	first firstFiles
	// hubs read the spaces that subscriptions follow.
	hubs spaceHubs
	// The others read what other subscriptions follow.
	jobReads          sharedReads[*model.Job]
	jobListReads      sharedReads[[]*model.Job]
	fileListReads     sharedReads[*ownedRows[model.File]]
	spaceListReads    sharedReads[*ownedRows[model.Space]]
	notificationReads sharedReads[*notificationTail]
	// readSlots limits how many subscriptions read the database at the same time.
	readSlots readSlots
	// changeSlots limits how many spaces are exported or changed as files at the same time.
	changeSlots readSlots
	// pictureSlots limits how many pictures of accounts are decoded at the same time.
	pictureSlots readSlots
	// subscriptions counts the open subscriptions.
	subscriptions atomic.Int64
}

// Subscriptions returns the number of open subscriptions in this process.
func (r *Resolver) Subscriptions() int64 { return r.subscriptions.Load() }

// The operations, which every door calls. GraphQL's resolvers, in the files schema*.go,
// decode ids and call them too.
type (
	// Queries are the operations that read.
	Queries struct{ *Resolver }
	// Mutations are the operations that change something.
	Mutations struct{ *Resolver }
	// Subscriptions are the operations that watch for changes.
	Subscriptions struct{ *Resolver }
)

// Query returns the operations that read.
func (r *Resolver) Query() Queries { return Queries{r} }

// Mutation returns the operations that change something.
func (r *Resolver) Mutation() Mutations { return Mutations{r} }

// Subscription returns the operations that watch for changes.
func (r *Resolver) Subscription() Subscriptions { return Subscriptions{r} }

// pager selects the page of a list: model.PageArgs, or model.ConnectionArgs for GraphQL.
type pager interface{ Page() (model.Page, error) }

// deref returns what p points at, or the zero value for nil.
func deref[T any](p *T) T {
	var zero T
	if p == nil {
		return zero
	}
	return *p
}
