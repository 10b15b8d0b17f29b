package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/uptrace/bun/driver/pgdriver"

	"portico/db/private"
)

// templateName is the migrated database. The databases of all tests are copies of it.
const templateName = "migrated"

// server is a running cluster with a migrated template.
type server struct {
	folder   string
	cluster  *private.Cluster
	admin    *sql.DB
	strategy string       // of CREATE DATABASE, empty for the server's own
	count    atomic.Int64 // databases created so far
}

// settings returns the settings of the server. They sacrifice durability for speed, because no test
// reads its database after a crash, and allow connections for many parallel tests.
func (s *server) settings() map[string]string {
	settings := map[string]string{
		"max_connections": "400",
		// A vacuum worker in the template would make CREATE DATABASE wait.
		"autovacuum": "off",
		// There are no replicas, and a folder in memory has little room for the log.
		"wal_level": "minimal", "max_wal_senders": "0",
		"max_wal_size": "512MB", "checkpoint_timeout": "1h",
		// DROP DATABASE scans all shared buffers.
		"shared_buffers": "32MB",
	}
	if s.inMemory() {
		settings["hba_file"] = s.hbaFile()
	}
	return settings
}

// inMemory reports whether the cluster is in memory. Elsewhere, the user of Postgres may not be able
// to enter the folder, and the cluster is in another one.
func (s *server) inMemory() bool { return filepath.Dir(s.folder) == memoryFolder }

// hbaFile is the file with the rules of who may connect.
func (s *server) hbaFile() string { return filepath.Join(s.folder, "pg_hba.conf") }

// writeHBA lets everybody connect without a password: no other user can enter the folder of the socket.
// A client with a password computes 4,096 hashes of it for each connection, which takes milliseconds,
// and several times as many with the race detector.
func (s *server) writeHBA() error {
	err := os.WriteFile(s.hbaFile(), []byte("local all all trust\n"), 0o600) //nolint:dupword // all databases, all users
	if err == nil {
		err = os.Chmod(s.hbaFile(), 0o644) // Postgres may run as another user
	}
	if err != nil {
		return fmt.Errorf("write the rules of connections: %w", err)
	}
	return nil
}

// openServer starts the cluster and creates the template. After an error it has stopped the
// cluster.
func openServer(migrate Migrate) (*server, error) {
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	folder, err := makeFolder()
	if err != nil {
		return nil, err
	}
	s := &server{folder: folder}
	if err := s.writeHBA(); err != nil {
		return nil, errors.Join(err, removeFolder(folder))
	}
	if err := s.startNew(ctx); err != nil {
		return nil, errors.Join(err, removeFolder(folder))
	}
	if err := errors.Join(s.chooseStrategy(ctx), s.makeTemplate(ctx, migrate)); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// start starts the cluster in the folder, and creates it if there is none.
func (s *server) start(ctx context.Context) error {
	cluster, err := private.Start(ctx, private.Options{DataFolder: s.folder, FastUnsafe: true, Settings: s.settings()})
	if err != nil {
		return err
	}
	s.cluster = cluster
	s.admin = sql.OpenDB(pgdriver.NewConnector(pgdriver.WithDSN(cluster.AdminURL()), pgdriver.WithReadTimeout(requestTimeout)))
	return nil
}

// stop stops the cluster. Its folder stays, so that start can start it again.
func (s *server) stop() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return errors.Join(s.admin.Close(), s.cluster.Stop(ctx))
}

// makeTemplate migrates a database and refuses connections to it, because PostgreSQL
// copies a database only while it has none.
func (s *server) makeTemplate(ctx context.Context, migrate Migrate) error {
	if err := s.createEmpty(ctx, templateName); err != nil {
		return fmt.Errorf("create the template database: %w", err)
	}
	owner, application := at(s.cluster.OwnerURL(), templateName), at(s.cluster.URL(), templateName)
	if err := migrate(ctx, owner, application); err != nil {
		return fmt.Errorf("migrate the template database: %w", err)
	}
	_, err := s.admin.ExecContext(ctx, "ALTER DATABASE "+templateName+" ALLOW_CONNECTIONS false")
	if err != nil {
		return fmt.Errorf("lock the template database: %w", err)
	}
	return nil
}

// createEmpty creates a database without tables, for the roles of the cluster.
func (s *server) createEmpty(ctx context.Context, name string) error {
	if _, err := s.admin.ExecContext(ctx, "CREATE DATABASE "+name+" TEMPLATE template0"); err != nil {
		return err
	}
	return s.cluster.HandOver(ctx, name)
}

// newName returns the name of a database for one test.
func (s *server) newName() string { return fmt.Sprintf("test_%d", s.count.Add(1)) }

// create copies the template and returns the name of the copy.
func (s *server) create(ctx context.Context) (string, error) {
	name := s.newName()
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	_, err := s.admin.ExecContext(ctx, "CREATE DATABASE "+name+" TEMPLATE "+templateName+s.strategy)
	return name, err
}

// chooseStrategy selects how CREATE DATABASE copies the template. In memory, file_copy takes a
// third of the time of the default and writes no WAL. On a disk it needs a checkpoint, which takes
// longer than the copy. PostgreSQL 14 does not have this option.
func (s *server) chooseStrategy(ctx context.Context) error {
	var version int
	err := s.admin.QueryRowContext(ctx, "SELECT current_setting('server_version_num')::int").Scan(&version)
	if err != nil {
		return fmt.Errorf("read the version of the server: %w", err)
	}
	if version >= 150000 && s.inMemory() {
		s.strategy = " STRATEGY file_copy"
	}
	return nil
}

// drop removes a database and ends its connections.
func (s *server) drop(ctx context.Context, name string) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	_, err := s.admin.ExecContext(ctx, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)")
	return err
}

// url returns the address of a database of the cluster, as the application.
func (s *server) url(name string) string { return at(s.cluster.URL(), name) }

// at returns the address of another database of the same cluster and role.
func at(address, database string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address // does not happen, because a cluster returns valid addresses
	}
	u.Host = database
	return u.String()
}

func (s *server) close() error { return errors.Join(s.stop(), removeFolder(s.folder)) }
