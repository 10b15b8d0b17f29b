package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"

	"portico/auth"
	"portico/db"
	"portico/db/dial"
	"portico/db/migrations"
	"portico/db/private"
	"portico/internal/testkit/cluster"
	"portico/model"
)

// world is the database that all contenders work on, with the account that they use.
//
// Everything in it is set by openWorld, except made: rounds take turns, so it needs no lock.
type world struct {
	cluster    cluster.Cluster
	pool       *pgxpool.Pool
	url        string // of the database, for Portico and the other contenders
	postmaster int    // process id of Postgres
	programs   string // folder of PostgreSQL's programs

	secret, key, owner string
	work, listed       string // the two spaces
	made               int    // entities that rounds of create were given
}

// settings keep checkpoints and the limit of connections out of the rounds. Everything
// that makes a commit durable is as Postgres ships it.
func settings() map[string]string {
	return map[string]string{
		"max_connections": "300", "max_wal_size": "8GB", "checkpoint_timeout": "1h",
	}
}

// openWorld starts Postgres and adds the seeded entities.
func openWorld(ctx context.Context) (_ *world, err error) {
	w := &world{secret: "a secret of the benchmark alone"}
	if w.cluster, err = cluster.Start(ctx, "portico-load-", private.Options{Settings: settings()}); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.close())
		}
	}()
	// Before the rounds: the CPU time of Postgres is read from its process.
	if err := w.findPostgres(); err != nil {
		return nil, err
	}
	log := slog.New(slog.DiscardHandler)
	w.url = w.cluster.URL()
	if err := migrations.Run(ctx, w.cluster.OwnerURL(), w.url, log); err != nil {
		return nil, err
	}
	if w.pool, err = dial.OpenQueue(ctx, w.cluster.AdminURL(), poolSize); err != nil {
		return nil, err
	}
	return w, errors.Join(w.addOwner(ctx), w.seed(ctx))
}

// copyDatabase returns the world with a copy of its database, whose name must be new. The caller
// closes the pool of the copy.
func (w *world) copyDatabase(ctx context.Context, name string) (*world, error) {
	w.pool.Reset() // Postgres copies a database only while nobody uses it
	maintenance, err := dial.OpenQueue(ctx, at(w.cluster.AdminURL(), "template1"), 1)
	if err != nil {
		return nil, err
	}
	defer maintenance.Close()
	if _, err := maintenance.Exec(ctx, "CREATE DATABASE "+name+" TEMPLATE postgres"); err != nil {
		return nil, err
	}
	other := *w
	other.url = at(w.url, name)
	other.pool, err = dial.OpenQueue(ctx, at(w.cluster.AdminURL(), name), poolSize)
	return &other, err
}

// at returns the address of another database of the cluster.
func at(address, database string) string {
	return strings.Replace(address, "@postgres/", "@"+database+"/", 1)
}

// findPostgres asks the running server for its process and its folder.
func (w *world) findPostgres() error {
	text, err := os.ReadFile(filepath.Join(w.cluster.Cluster.Folder(), "data", "postmaster.pid"))
	if err != nil {
		return err
	}
	first, _, _ := strings.Cut(string(text), "\n")
	if w.postmaster, err = strconv.Atoi(first); err != nil {
		return err
	}
	program, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", w.postmaster))
	w.programs = filepath.Dir(program)
	return err
}

// openAccounts opens the database in order to add accounts. The caller closes it.
func (w *world) openAccounts(ctx context.Context) (*db.DB, *auth.Keys, error) {
	log := slog.New(slog.DiscardHandler)
	database, err := db.Open(ctx, db.Options{URL: w.url, Logger: log, Connections: 2})
	if err != nil {
		return nil, nil, err
	}
	keys, err := auth.NewKeys(database, []byte(w.secret))
	if err != nil {
		return nil, nil, errors.Join(err, database.Close())
	}
	return database, keys, nil
}

// addOwner adds the one account, its key and its two spaces.
func (w *world) addOwner(ctx context.Context) (err error) {
	database, keys, err := w.openAccounts(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, database.Close()) }()
	// Each start of the files leaves a file behind, and -large-zip needs twice its size.
	in := model.CreateUser{Email: "bench@example.com", Quota: 16 << 30}
	if err := in.Validate(); err != nil {
		return err
	}
	user, err := database.Accounts().CreateUser(ctx, in)
	if err != nil {
		return err
	}
	w.owner = user.ID
	if w.key, err = keys.EnsureKey(ctx, user.ID); err != nil {
		return err
	}
	// A list that grows with each create would make later rounds slower than earlier ones.
	for _, id := range []*string{&w.work, &w.listed} {
		space := model.NewSpace(user.ID, model.CreateSpace{}, nil)
		*id = space.ID
		room := model.NewEntity(space.ID, model.RoomInfoID, "RoomInfo", nil)
		if err := database.Spaces().AddSpace(ctx, space, []*model.Entity{room}); err != nil {
			return err
		}
	}
	return nil
}

// space returns the space of an operation. The list has a space of its own.
func (w *world) space(op operation) string {
	if op == opList {
		return w.listed
	}
	return w.work
}

// close stops Postgres and removes its files.
func (w *world) close() error {
	if w.pool != nil {
		w.pool.Close()
	}
	return w.cluster.Close()
}

// bearer returns the value of the Authorization header.
func (w *world) bearer() string { return "Bearer " + w.key }
