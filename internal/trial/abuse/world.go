package main

import (
	"context"
	"errors"
	"log/slog"
	"strings"

	"github.com/jackc/pgx/v5"

	"portico/auth"
	"portico/db"
	"portico/db/migrations"
	"portico/db/private"
	"portico/internal/testkit/cluster"
	"portico/internal/testkit/program"
	"portico/model"
)

// secret is the secret of all servers, so that this process can create keys that they accept.
const secret = "a secret of the abuse tests alone"

// world is what all scenarios share: a database, and the program.
type world struct {
	cluster  cluster.Cluster
	program  string
	address  string // of the database
	database *db.DB
	keys     *auth.Keys
}

// openWorld builds the program and starts Postgres.
func openWorld(ctx context.Context, source string) (w *world, err error) {
	w = &world{}
	if w.program, err = program.Build(ctx, program.BuildOptions{Module: source}); err != nil {
		return nil, err
	}
	// Durability is not under attack. More connections than the default, because several
	// servers share this Postgres.
	options := private.Options{FastUnsafe: true, Settings: map[string]string{"max_connections": "300"}}
	if w.cluster, err = cluster.Start(ctx, "portico-abuse-", options); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.close())
		}
	}()
	w.address = w.cluster.URL()
	log := slog.New(slog.DiscardHandler)
	if err := migrations.Run(ctx, w.cluster.OwnerURL(), w.address, log); err != nil {
		return nil, err
	}
	if w.database, err = db.Open(ctx, db.Options{URL: w.address, Logger: log, Connections: 2}); err != nil {
		return nil, err
	}
	w.keys, err = auth.NewKeys(w.database, []byte(secret))
	return w, err
}

// withDatabase returns a world with its own database on the same Postgres. prepare are statements
// that the administrator runs in the new database. The caller closes the database.
func (w *world) withDatabase(ctx context.Context, name string, prepare ...string) (*world, error) {
	if err := w.execute(ctx, "postgres", "CREATE DATABASE "+name); err != nil {
		return nil, err
	}
	if err := w.cluster.HandOver(ctx, name); err != nil {
		return nil, err
	}
	// A copy with the same cluster and program; only what belongs to a database changes.
	other := *w
	other.address = inDatabase(w.cluster.URL(), name)
	log := slog.New(slog.DiscardHandler)
	if err := migrations.Run(ctx, inDatabase(w.cluster.OwnerURL(), name), other.address, log); err != nil {
		return nil, err
	}
	if err := w.execute(ctx, name, prepare...); err != nil {
		return nil, err
	}
	var err error
	if other.database, err = db.Open(ctx, db.Options{URL: other.address, Logger: log, Connections: 2}); err != nil {
		return nil, err
	}
	other.keys, err = auth.NewKeys(other.database, []byte(secret))
	return &other, err
}

// inDatabase returns the address of a database beside the one that the address names.
func inDatabase(address, name string) string {
	return strings.Replace(address, "@postgres/", "@"+name+"/", 1)
}

// execute runs statements in a database of the cluster.
func (w *world) execute(ctx context.Context, database string, statements ...string) (err error) {
	// The administrator's connection: the application's role may not create databases.
	config, err := pgx.ParseConfig(w.cluster.AdminPostgresURL())
	if err != nil {
		return err
	}
	config.Database = database
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close(ctx)) }()
	for _, statement := range statements {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

type user struct{ id, key string }

// newUser creates an account in the database, because signing up is limited.
func (w *world) newUser(ctx context.Context) (user, error) {
	return w.newUserWithQuota(ctx, attackerQuota)
}

// newUserWithQuota creates an account with this many bytes of storage.
func (w *world) newUserWithQuota(ctx context.Context, quota int64) (user, error) {
	in := model.CreateUser{Email: strings.ToLower(model.Token()) + "@example.com", Quota: quota}
	if err := in.Validate(); err != nil {
		return user{}, err
	}
	made, err := w.database.Accounts().CreateUser(ctx, in)
	if err != nil {
		return user{}, err
	}
	key, err := w.keys.EnsureKey(ctx, made.ID)
	return user{made.ID, key}, err
}

func (w *world) newUsers(ctx context.Context, n int) ([]user, error) {
	users := make([]user, n)
	for i := range users {
		var err error
		if users[i], err = w.newUser(ctx); err != nil {
			return nil, err
		}
	}
	return users, nil
}

// close stops Postgres and removes all files of the scenarios.
func (w *world) close() error {
	var errs []error
	if w.database != nil {
		errs = append(errs, w.database.Close())
	}
	return errors.Join(append(errs, w.cluster.Close())...)
}
