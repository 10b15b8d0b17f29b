// Package live has the subscriptions: to spaces, their visitors, jobs, and the lists and
// notifications of an account.
//
// A change of a space reaches its subscribers in four steps:
//
//   - The transaction of the change announces the space's topic after its commit
//     (db.Announce), and Postgres notifies every process.
//   - The broadcaster of the process reads the versions of the space's entities, then the rows
//     that changed, then the space: once, however many subscribers there are. An announcement
//     has no state, so a lost or repeated one costs a read and never causes a wrong response.
//     A poll of package db every five seconds finds changes that were not announced, in one
//     statement for all spaces.
//   - Each subscriber takes the next event from the spaceLog after its reader has
//     received the event before. The log keeps only the newest state of each object, so a slow
//     reader skips older states and delays nobody. Before each event the subscriber checks the
//     rights of its caller against the newest state of the space.
//   - The GraphQL door encodes the Event once for all subscribers with the same document and
//     variables, if every selected field is the same for all callers.
//
// The other subscriptions, such as to a job or to the caller's notifications, have few subscribers
// each. What several of them need is read once (sharedReads), a few reads at a time (engine),
// and each of them has a feed, which compares the value with what its reader has.
package live

import (
	"log/slog"
	"time"

	"golang.org/x/sync/semaphore"

	"portico/db"
	"portico/graph/access"
	"portico/graph/presence"
	"portico/model"
)

// Service has the operations that watch for changes. Its methods may be called concurrently.
//
// What it remembers is of this process: replicas agree through the database only.
type Service struct {
	engine

	access *access.Rules
	rooms  *presence.Rooms
	jobTTL time.Duration

	// spaces reads the spaces of subscriptions, and the fields below what the others read.
	spaces        broadcasters
	jobs          sharedReads[*model.Job]
	jobLists      sharedReads[[]*model.Job]
	fileLists     sharedReads[*ownedRows[model.File]]
	spaceLists    sharedReads[*ownedRows[model.Space]]
	notifications sharedReads[*notificationTail]
}

// Parts are what a Service is made of.
type Parts struct {
	Access *access.Rules
	DB     *db.DB
	// Rooms has the visitors of spaces. Only SpacePresence needs them.
	Rooms *presence.Rooms
	// JobTTL is how long Jobs shows a job after its end; 0 means no limit.
	JobTTL time.Duration
	// Logger receives failures of reads, which no response reports.
	Logger *slog.Logger
}

// New returns the subscriptions of a database.
func New(p Parts) *Service {
	return &Service{
		engine: engine{db: p.DB, log: p.Logger, slots: semaphore.NewWeighted(maxConcurrentReads)},
		access: p.Access, rooms: p.Rooms, jobTTL: p.JobTTL,
	}
}

// Close stops the reads, and returns after they have ended. Open subscriptions get no more events.
func (s *Service) Close() { s.loops.Stop() }

// Open returns the number of open subscriptions in this process.
func (s *Service) Open() int64 { return s.open.Load() }
