package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"time"

	"portico/internal/testkit/program"
)

// world is one installation: a database, a store, and the processes over them.
//
// Its folder on the disk:
//
//	data/        the data folder of Portico, with the store in data/files
//	NAME.log     what the processes of a service or of another program log
//	gateway/     the folder of the S3 server, in scenarios over S3
//	sidecar/     its metadata of objects
//
// and the folder of the database cluster.
type world struct {
	*stage
	*tally
	// dir holds everything that the world has on the disk: the data folder, the
	// database, and a log of each process.
	dir      string
	data     string
	database *database
	// settings are the variables, NAME=VALUE, of every process. The last of one name
	// counts, so what is added later wins.
	settings []string
	// objectStore is where the files are kept.
	objects objectStore
	// requestLimit is how long a request may take; 0 for no limit.
	requestLimit time.Duration

	// mu protects what follows, which clients and the goroutines that break things share.
	mu              sync.Mutex
	random          *rand.Rand // decides what breaks; use chance and between
	closers         []func() error
	allowedFailures []string // reasons for which jobs may fail
}

// newWorld creates a world with a store on the disk. It has no database, and no process of Portico
// runs yet.
func newWorld(shared *stage, name string, t *tally) (*world, error) {
	const gaveUp = "Given up after 4 attempts. Try again, or ask the operator for help" // all of which were killed
	w := &world{
		stage: shared, tally: t, allowedFailures: []string{gaveUp}, dir: filepath.Join(shared.folder, name),
		random: newRandom(shared.seed, name),
	}
	w.data = filepath.Join(w.dir, "data")
	w.objects = diskStore{filepath.Join(w.data, "files")}
	if err := os.MkdirAll(w.data, 0o711); err != nil {
		return nil, err
	}
	w.settings = []string{
		"PORTICO_DATA_DIR=" + w.data, "PORTICO_RATE_LIMITS=off", "PORTICO_CONVERT_MEMORY=1GiB",
		"PORTICO_SECRET=a secret for the faults alone, of some length",
	}
	return w, nil
}

// startDatabase starts a private cluster for the world.
func (w *world) startDatabase(ctx context.Context) (err error) {
	if w.database, err = openDatabase(ctx, w.dir); err != nil {
		return err
	}
	w.onClose(w.database.close)
	w.settings = append(w.settings, "PORTICO_DATABASE_URL="+w.database.cluster.URL(), "PORTICO_MIGRATE_DATABASE_URL="+w.database.cluster.OwnerURL())
	return nil
}

// onClose adds a function that close calls, before the functions that were added earlier.
func (w *world) onClose(closer func() error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closers = append(w.closers, closer)
}

// allowFailure allows jobs to fail for a reason.
func (w *world) allowFailure(reason string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.allowedFailures = append(w.allowedFailures, reason)
}

// close stops everything that was started.
func (w *world) close() error {
	var errs []error
	for i := len(w.closers) - 1; i >= 0; i-- {
		errs = append(errs, w.closers[i]())
	}
	return errors.Join(errs...)
}

// chance returns true once in this many attempts on average.
func (w *world) chance(attempts int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.random.IntN(attempts) == 0
}

// newRandom returns a source of random numbers that depends on the seed and the purpose
// only.
//
// Each purpose has a source of its own, so that a scenario breaks the same whether it runs alone or
// after others. Where goroutines share a source, which of them draws first depends on timing, and
// only the numbers as a whole are the same in each run.
func newRandom(seed uint64, purpose string) *rand.Rand {
	mixed := seed
	for _, letter := range purpose {
		mixed = mixed*31 + uint64(letter)
	}
	return rand.New(rand.NewPCG(seed, mixed)) //nolint:gosec // no secret
}

func (w *world) randomBelow(n int) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.random.IntN(n)
}

// between returns a random duration between two durations, both included.
func (w *world) between(shortest, longest time.Duration) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return shortest + time.Duration(w.random.Int64N(int64(longest-shortest)+1))
}

// addUser creates an account with the command, as an operator does, while the servers
// run. Its client has no server yet.
func (w *world) addUser(ctx context.Context, name string) (*client, error) {
	user, err := w.installation().AddUser(ctx, name+"@example.com", "--pro", "--quota", "5GB")
	if err != nil {
		return nil, err
	}
	return &client{world: w, id: user.ID, key: user.APIKey}, nil
}

// installation returns the program with the settings that all its processes share.
func (w *world) installation() program.Installation {
	return program.Installation{Program: w.binary, Settings: w.settings}
}

// pause waits, or returns early with the end of ctx.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// awaitCondition polls until the condition holds. It returns the error of the condition, or
// at the limit an error that names the condition.
func awaitCondition(ctx context.Context, limit time.Duration, condition string, holds func() (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for {
		ok, err := holds()
		if err != nil || ok {
			return err
		}
		if pause(ctx, 50*time.Millisecond) != nil {
			return fmt.Errorf("waited %v in vain until %s", limit, condition)
		}
	}
}
