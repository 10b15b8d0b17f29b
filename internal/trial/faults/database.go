package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"portico/db/private"
)

// database is the database of a world. This command owns it, so it outlives the
// processes of Portico.
type database struct {
	cluster *private.Cluster // nil for a pair of servers
	// adminURL returns the address at which the command itself reaches the database.
	adminURL func() string
}

// openDatabase starts a cluster below the folder. It does not sync to the disk,
// because no scenario crashes the machine.
func openDatabase(ctx context.Context, folder string) (*database, error) {
	cluster, err := private.Start(ctx, private.Options{
		DataFolder: folder, Settings: map[string]string{"fsync": "off", "max_connections": "300", "shared_buffers": "64MB"},
	})
	if err != nil {
		return nil, err
	}
	return &database{cluster: cluster, adminURL: cluster.AdminPostgresURL}, nil
}

// close stops the cluster and removes it, even if it had to be in another folder.
func (d *database) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return errors.Join(d.cluster.Stop(ctx), os.RemoveAll(d.cluster.Folder()))
}

// withConnection calls do with a new connection that bypasses the relays.
func (d *database) withConnection(ctx context.Context, do func(*pgx.Conn) error) error {
	conn, err := pgx.Connect(ctx, d.adminURL())
	if err != nil {
		return err
	}
	return errors.Join(do(conn), conn.Close(context.WithoutCancel(ctx)))
}

// exec runs statements one after the other.
func (d *database) exec(ctx context.Context, statements ...string) error {
	return d.withConnection(ctx, func(conn *pgx.Conn) error {
		for _, statement := range statements {
			if _, err := conn.Exec(ctx, statement); err != nil {
				return fmt.Errorf("%s: %w", statement, err)
			}
		}
		return nil
	})
}

// queryInt returns the number that a query finds.
func (d *database) queryInt(ctx context.Context, query string, args ...any) (n int, err error) {
	err = d.withConnection(ctx, func(conn *pgx.Conn) error { return conn.QueryRow(ctx, query, args...).Scan(&n) })
	return n, err
}

// queryTexts returns the column of texts that a query finds.
func (d *database) queryTexts(ctx context.Context, query string) (found []string, err error) {
	err = d.withConnection(ctx, func(conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, query)
		if err != nil {
			return err
		}
		found, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	return found, err
}

// signal sends a signal to the postmaster and returns when the cluster accepts
// connections again. SIGINT is a fast restart, SIGKILL a crash, after which the
// cluster recovers.
func (d *database) signal(ctx context.Context, s syscall.Signal) error {
	pid, err := d.pid()
	if err != nil {
		return err
	}
	if err := syscall.Kill(pid, s); err != nil {
		return fmt.Errorf("signal postgres: %w", err)
	}
	return awaitCondition(ctx, time.Minute, "postgres is back", func() (bool, error) {
		now, err := d.pid()
		return err == nil && now != pid && d.exec(ctx, "SELECT 1") == nil, nil
	})
}

// pid returns the number of the cluster's first process.
func (d *database) pid() (int, error) {
	text, err := os.ReadFile(filepath.Join(d.cluster.Folder(), "data", "postmaster.pid"))
	if err != nil {
		return 0, err
	}
	first, _, _ := strings.Cut(string(text), "\n")
	return strconv.Atoi(strings.TrimSpace(first))
}

// openRelay opens a relay to the cluster, and returns it with its address.
//
// The relay speaks TCP towards Portico and the socket of the cluster behind it, so a scenario can
// cut Portico from its database while withConnection still reaches it.
func (d *database) openRelay(ctx context.Context) (*relay, string, error) {
	u, err := url.Parse(d.cluster.URL()) // unix://user:password@name/path/.s.PGSQL.5432
	if err != nil {
		return nil, "", err
	}
	r, address, err := openRelay(ctx, "unix", u.Path)
	if err != nil {
		return nil, "", err
	}
	relayed := url.URL{Scheme: "postgres", User: u.User, Host: address, Path: "/" + u.Host, RawQuery: "sslmode=disable"}
	return r, relayed.String(), nil
}
