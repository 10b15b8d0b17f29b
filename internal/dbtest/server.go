package dbtest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/uptrace/bun/driver/pgdriver"

	"portico/db/private"
)

// templateName is the migrated database that all others are copies of.
const templateName = "migrated"

// server is a running cluster with a migrated template.
type server struct {
	folder   string
	cluster  *private.Cluster
	base     url.URL // of the database that every cluster has
	admin    *sql.DB
	strategy string       // of CREATE DATABASE, empty for the server's own
	count    atomic.Int64 // databases created so far
}

// settings trade everything for speed and leave room for parallel tests.
func settings() map[string]string {
	return map[string]string{
		"max_connections": "400",
		// A vacuum worker in the template would make CREATE DATABASE wait.
		"autovacuum": "off",
		// No replicas, so less to log; the folder may be in memory, so not much.
		"wal_level": "minimal", "max_wal_senders": "0",
		"max_wal_size": "512MB", "checkpoint_timeout": "1h",
		// DROP DATABASE looks through all of it.
		"shared_buffers": "32MB",
	}
}

// openServer starts the cluster and makes the template. What it started is gone
// again when it fails.
func openServer(migrate func(ctx context.Context, url string) error) (*server, error) {
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	folder, err := makeFolder()
	if err != nil {
		return nil, err
	}
	cluster, err := private.Start(ctx, private.Options{Dir: folder, FastUnsafe: true, Settings: settings()})
	if err != nil {
		return nil, errors.Join(err, removeFolder(folder))
	}
	base, err := url.Parse(cluster.URL())
	if err != nil {
		return nil, errors.Join(err, cluster.Stop(ctx), removeFolder(folder))
	}
	connector := pgdriver.NewConnector(pgdriver.WithDSN(base.String()), pgdriver.WithReadTimeout(requestTimeout))
	s := &server{folder: folder, cluster: cluster, base: *base, admin: sql.OpenDB(connector)}
	if err := errors.Join(s.chooseStrategy(ctx), s.makeTemplate(ctx, migrate)); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// makeTemplate migrates a database and locks it: PostgreSQL copies only what
// nobody is connected to.
func (s *server) makeTemplate(ctx context.Context, migrate func(ctx context.Context, url string) error) error {
	if _, err := s.admin.ExecContext(ctx, "CREATE DATABASE "+templateName); err != nil {
		return fmt.Errorf("create the template database: %w", err)
	}
	if err := migrate(ctx, s.url(templateName)); err != nil {
		return fmt.Errorf("migrate the template database: %w", err)
	}
	_, err := s.admin.ExecContext(ctx, "ALTER DATABASE "+templateName+" ALLOW_CONNECTIONS false")
	if err != nil {
		return fmt.Errorf("lock the template database: %w", err)
	}
	return nil
}

// create makes a copy of the template and returns its name.
func (s *server) create(ctx context.Context) (string, error) {
	name := fmt.Sprintf("test_%d", s.count.Add(1))
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	_, err := s.admin.ExecContext(ctx, "CREATE DATABASE "+name+" TEMPLATE "+templateName+s.strategy)
	return name, err
}

// chooseStrategy copies files in memory, which takes a third of the time there
// and no log. On a disk the checkpoint for it takes longer than all the rest,
// and PostgreSQL 14 has no choice.
func (s *server) chooseStrategy(ctx context.Context) error {
	var version int
	err := s.admin.QueryRowContext(ctx, "SELECT current_setting('server_version_num')::int").Scan(&version)
	if err != nil {
		return fmt.Errorf("read the version of the server: %w", err)
	}
	if version >= 150000 && filepath.Dir(s.folder) == memoryFolder {
		s.strategy = " STRATEGY file_copy"
	}
	return nil
}

// drop removes a database and throws out whoever is connected.
func (s *server) drop(ctx context.Context, name string) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	_, err := s.admin.ExecContext(ctx, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)")
	return err
}

// url returns the address of a database of the cluster.
func (s *server) url(name string) string {
	u := s.base
	u.Host = name
	return u.String()
}

// close stops the server and removes all traces.
func (s *server) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return errors.Join(s.admin.Close(), s.cluster.Stop(ctx), removeFolder(s.folder))
}
