package graph

import (
	"context"
	"log/slog"
	"time"

	"portico/db"
	"portico/graph/accounts"
	"portico/graph/presence"
	"portico/graph/webhook"
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
	Accounts accounts.Registry
	// Identities starts connections to the OpenID Connect provider. Only operations on the caller's
	// own account need it.
	Identities accounts.Identities
	// Exports signs the addresses of exports of accounts. Only these addresses need it.
	Exports *ExportLinks
	// Presence has the visitors of spaces; its owner closes it. Only operations on visitors need it.
	Presence *presence.Rooms
	// Limiter limits how many bytes of JSON an account writes. Nil means no limit.
	Limiter *limit.Limiter
	// HubPictures are the pictures of the room of every hub, smallest first; none in a process without pages.
	HubPictures []model.BuiltInPicture
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
	// OpensFiles reports whether everybody who has the address of a file can read it, and this server
	// cannot protect it, because a public bucket serves it.
	OpensFiles bool
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
	webhook.Secrets
}
