package private

import (
	"net"
	"net/url"
	"path/filepath"
	"regexp"
	"time"
)

const (
	// databaseName exists in every new cluster.
	databaseName = "postgres"

	// socketName is fixed by PostgreSQL and its port setting.
	socketName = ".s.PGSQL.5432"
	// maxSocketPath is the maximum length on all systems: 107 bytes on Linux, 103 on
	// macOS.
	maxSocketPath = 103
)

// plainPath matches paths that need no quoting in a PostgreSQL setting.
var plainPath = regexp.MustCompile(`^[A-Za-z0-9/._-]+$`)

// socketFolder returns the folder of the server's socket: the location itself, or a folder
// in /tmp if the path is too long or needs quoting. It depends only on the location, so
// that the address stays the same after a restart. It does not use os.TempDir, which may
// differ between the processes of a cluster.
func (p location) socketFolder() string {
	if len(p.path(socketName)) <= maxSocketPath && plainPath.MatchString(p.folder) {
		return p.folder
	}
	return "/tmp/portico-" + shortHash(p.folder)
}

// socket returns the path of the server's socket.
func (p location) socket() string { return filepath.Join(p.socketFolder(), socketName) }

// URL returns the address of the application's role, which reads and writes rows
// once a migration has granted it to. It has the form of pgdriver:
// unix://user:password@database/folder/.s.PGSQL.5432?sslmode=disable. It stays
// the same for the life of the cluster. It holds the password: never log it.
func (c *Cluster) URL() string { return c.address(applicationRole, databaseName) }

// OwnerURL is URL for the role that owns the schema, which migrations run as.
func (c *Cluster) OwnerURL() string { return c.address(ownerRole, databaseName) }

// AdminURL is URL for the superuser. The program has no use for it; tests and
// operators have.
func (c *Cluster) AdminURL() string { return c.address(superuser, databaseName) }

// address returns the address of a database on the socket of the cluster, with the password of the
// role, in the form of pgdriver.
func (c *Cluster) address(role, database string) string {
	u := url.URL{
		Scheme: "unix", User: url.UserPassword(role, rolePassword(c.password, role)),
		Host: database, Path: c.location.socket(), RawQuery: "sslmode=disable",
	}
	return u.String()
}

// AdminPostgresURL returns the superuser's address in the form of libpq and pgx:
// postgres://user:password@/database?host=/folder&port=5432&sslmode=disable. With an explicit port,
// $PGPORT has no effect.
func (c *Cluster) AdminPostgresURL() string {
	query := url.Values{"host": {c.location.socketFolder()}, "port": {"5432"}, "sslmode": {"disable"}}
	u := url.URL{Scheme: "postgres", User: url.UserPassword(superuser, c.password), Path: "/" + databaseName, RawQuery: query.Encode()}
	return u.String()
}

// isListening reports whether a server accepts connections at the socket.
func isListening(socket string) bool {
	conn, err := net.DialTimeout("unix", socket, time.Second) //nolint:noctx // local, with a timeout
	if err != nil {
		return false
	}
	_ = conn.Close() // nothing was sent
	return true
}
