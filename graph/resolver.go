package graph

import (
	"log/slog"

	"portico/db"
	"portico/graph/access"
	"portico/graph/accounts"
	"portico/graph/handle"
	"portico/graph/live"
	"portico/graph/object"
	"portico/graph/operator"
	"portico/graph/presence"
	"portico/graph/sharelink"
	"portico/graph/statistics"
	"portico/graph/webhook"
	"portico/internal/semaphore"
	"portico/limit"
	"portico/model"
	"portico/storage"
)

// Resolver implements every operation, for every door. New makes it of its parts, which no other
// package can reach or replace: a door that had the database could bypass the rules of the core.
// Its methods may be called concurrently.
//
// Caches are of this process: replicas agree through the database only.
type Resolver struct {
	// The parts, as Options describes them.
	db       *db.DB
	store    storage.Store
	settings Settings
	keys     Keys
	exports  *ExportLinks
	presence *presence.Rooms
	limiter  *limit.Limiter
	logger   *slog.Logger
	hub      []model.BuiltInPicture

	subjects

	// The fields below start with their zero value.

	// firstFiles remembers which objects of captures viewers load first.
	firstFiles firstFiles
	// changeSlots limits how many spaces are exported or changed as files at the same time.
	changeSlots semaphore.Room
	// pictureSlots limits how many pictures of accounts are decoded at the same time, and
	// largePictures lets one large picture at a time be among them.
	pictureSlots, largePictures semaphore.Room
	// hashing limits how many uploaded files are hashed at the same time.
	hashing semaphore.Room
}

// New returns a resolver of these parts. It panics without DB, Store or Logger.
func New(o Options) *Resolver {
	if o.DB == nil || o.Store == nil || o.Logger == nil {
		panic("graph: New needs DB, Store and Logger") // a programmer's mistake
	}
	return &Resolver{
		subjects:      newSubjects(o),
		pictureSlots:  semaphore.Room{Size: maxConcurrentPictures},
		changeSlots:   semaphore.Room{Size: maxConcurrentChanges, Share: maxConcurrentChanges / 2},
		largePictures: semaphore.Room{Size: 1, MaxWaiting: maxWaitingPictures},
		hashing:       semaphore.Room{Size: maxHashing, Share: 1, MaxWaiting: maxWaitingHashes},
		db:            o.DB, store: o.Store, settings: o.Settings,
		keys: o.Keys, exports: o.Exports, presence: o.Presence, limiter: o.Limiter, logger: o.Logger, hub: o.HubPictures,
	}
}

// subjects are the packages below this one, each with the rules and the operations of a subject.
type subjects struct {
	// access decides what callers may use.
	access *access.Rules
	// objects deletes what the store has.
	objects *object.Remover
	// accounts has what people do with their own account, and webhooks with their webhooks.
	accounts *accounts.Service
	webhooks *webhook.Service
	// handles has the names of accounts and spaces in addresses.
	handles *handle.Service
	// links has the links that open a space.
	links *sharelink.Service
	// statistics has what came of spaces.
	statistics *statistics.Service
	// operator has what operators do with everybody's accounts, spaces, jobs and files.
	operator *operator.Service
	// live has what people and programs watch.
	live *live.Service
}

// newSubjects gives each subject its parts.
func newSubjects(o Options) subjects {
	rules := access.NewRules(o.DB, o.Store, o.Accounts, o.Settings.WebURL+ResumablePath)
	objects := object.NewRemover(o.DB, o.Store, o.Logger)
	own := accounts.New(accounts.Parts{
		Access: rules, DB: o.DB, Objects: objects, Registry: o.Accounts, Identities: o.Identities, Logger: o.Logger,
	})
	return subjects{
		access: rules, objects: objects, accounts: own, webhooks: webhook.New(rules, o.DB, o.Keys, own.SendsMail),
		handles:    handle.New(rules, o.DB, o.Settings.WebURL),
		links:      sharelink.New(rules, o.DB, o.Accounts, o.Settings.WebURL, o.Settings.OpensFiles),
		statistics: statistics.New(rules, o.DB),
		operator: operator.New(operator.Parts{
			Access: rules, DB: o.DB, Objects: objects, Accounts: own, Settings: o.EffectiveSettings, StoreRequests: o.StoreRequests,
		}),
		live: live.New(live.Parts{Access: rules, DB: o.DB, Rooms: o.Presence, JobTTL: o.Settings.JobTTL, Logger: o.Logger}),
	}
}

// Close stops the reads for subscriptions, and returns after they have ended. Open subscriptions
// get no more events.
func (r *Resolver) Close() { r.live.Close() }

// OpenSubscriptions returns the number of open subscriptions in this process.
func (r *Resolver) OpenSubscriptions() int64 { return r.live.Open() }

// The operations, which every door calls. GraphQL's resolvers, in graph/door,
// decode ids and call them too.
type (
	// Queries are the operations that read.
	Queries struct{ *Resolver }
	// Mutations are the operations that change something.
	Mutations struct{ *Resolver }
)

// Query returns the operations that read.
func (r *Resolver) Query() Queries { return Queries{r} }

// Mutation returns the operations that change something.
func (r *Resolver) Mutation() Mutations { return Mutations{r} }

// Subscription returns the operations that watch for changes.
func (r *Resolver) Subscription() *live.Service { return r.live }

// Access returns who may use what.
func (r *Resolver) Access() *access.Rules { return r.access }

// Accounts returns what people do with their own account.
func (r *Resolver) Accounts() *accounts.Service { return r.accounts }

// Webhooks returns what people do with their webhooks.
func (r *Resolver) Webhooks() *webhook.Service { return r.webhooks }

// ShareLinks returns what owners do with the links that open their spaces.
func (r *Resolver) ShareLinks() *sharelink.Service { return r.links }

// Handles returns what names accounts and spaces have in addresses.
func (r *Resolver) Handles() *handle.Service { return r.handles }

// Operator returns what operators do.
func (r *Resolver) Operator() *operator.Service { return r.operator }

// Logger receives what no response reports.
func (r *Resolver) Logger() *slog.Logger { return r.logger }
