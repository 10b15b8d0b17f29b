package graph

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"portico/db"
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
	// AsyncThreshold is the size in bytes over which a file that is no archive
	// is confirmed by a job too.
	AsyncThreshold int64
	// UploadTTL is how long a presigned URL works.
	UploadTTL time.Duration
}

// Keys makes and ends the API keys of accounts. It is an interface because the
// core knows nothing of how callers are told apart.
type Keys interface {
	// Replace makes a new key in place of the caller's, if that one is still valid.
	Replace(ctx context.Context, caller *model.Caller) (string, error)
	// RevokeOwn ends the caller's key, if it is still valid, and with it all else
	// that was given out for the account.
	RevokeOwn(ctx context.Context, caller *model.Caller) error
}

// Resolver carries out every operation, for every door. Its fields are set
// once; its methods may be called at the same time.
type Resolver struct {
	// DB has the rows; its owner closes it.
	DB *db.DB
	// Store has the bytes of uploads and files.
	Store storage.Store
	// Settings must be complete: nothing is filled in.
	Settings Settings
	// Keys makes and ends API keys; (*auth.Keys) does.
	Keys Keys
	// Logger gets internal errors, and the trouble that no answer tells of.
	Logger *slog.Logger

	// turns are those of subscriptions to read.
	turns turns
	// subscriptions are how many are open.
	subscriptions atomic.Int64
}

// Subscriptions returns how many are open in this process.
func (r *Resolver) Subscriptions() int64 { return r.subscriptions.Load() }

// The kinds of resolver that the generated code asks for.
type (
	queryResolver        struct{ *Resolver }
	mutationResolver     struct{ *Resolver }
	subscriptionResolver struct{ *Resolver }
	viewerResolver       struct{ *Resolver }
	fileResolver         struct{ *Resolver }
	jobResolver          struct{ *Resolver }
	spaceResolver        struct{ *Resolver }
	entityResolver       struct{ *Resolver }
	userResolver         struct{ *Resolver }
)

// Query returns the operations that read.
func (r *Resolver) Query() QueryResolver { return queryResolver{r} }

// Mutation returns the operations that change.
func (r *Resolver) Mutation() MutationResolver { return mutationResolver{r} }

// Subscription returns the operations that watch.
func (r *Resolver) Subscription() SubscriptionResolver { return subscriptionResolver{r} }

// Viewer returns what a caller's account is asked for beyond its row.
func (r *Resolver) Viewer() ViewerResolver { return viewerResolver{r} }

// File returns what a file is asked for beyond its row.
func (r *Resolver) File() FileResolver { return fileResolver{r} }

// Job returns what a job is asked for beyond its row.
func (r *Resolver) Job() JobResolver { return jobResolver{r} }

// Entity returns what an entity is asked for beyond its row.
func (r *Resolver) Entity() EntityResolver { return entityResolver{r} }

// Space returns what a space is asked for beyond its row.
func (r *Resolver) Space() SpaceResolver { return spaceResolver{r} }

// User returns what an account is asked for by others beyond its row.
func (r *Resolver) User() UserResolver { return userResolver{r} }

// deref returns what p points at, or the zero value for nil.
func deref[T any](p *T) T {
	var zero T
	if p == nil {
		return zero
	}
	return *p
}
