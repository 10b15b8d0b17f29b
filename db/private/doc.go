// Package private runs a private PostgreSQL cluster inside the data folder, so that
// `portico serve` works without setting up a database server. Tests of other packages use
// it through internal/testkit/postgres.
//
// # Owners and adopters
//
// The first process that starts a cluster owns it: PostgreSQL is its child process and
// stops with it, on Linux even if the owner is killed. Later processes adopt the running
// server. The owner's Stop is a fast shutdown, which rolls back open transactions and
// breaks the connections of the adopters. An adopter notices within a moment, starts the
// server again with the same address and owns it from then on, so its pool only has to
// reconnect. If the server dies, the owner starts it again in the same way.
//
// A lock file determines the owner. The server holds the owner's lock too, because it
// inherits the open file, so a free lock proves that no server is left. A second lock is
// held by the owner only and proves that the owner is alive. A server whose owner was
// killed is never adopted; the next start waits until it has stopped.
//
// # Files
//
//	DIR/postgres/lock        held by the owner and by the server
//	DIR/postgres/owner       held by the owner
//	DIR/postgres/password    of the superuser, mode 0600
//	DIR/postgres/data        the cluster; data.new while it is being made
//	DIR/postgres/server.log  PostgreSQL's log, emptied at a start if above 10 MB
//
// # Roles and users
//
// The superuser portico makes two roles at each start and hands the schema over:
// portico_owner owns the tables and runs migrations, portico_app does what these
// have granted it. Their passwords are derived from the superuser's. What
// the superuser itself has made, as in a restore of a dump, is handed over too.
//
// PostgreSQL refuses to run as root. If root starts the cluster, the server runs as the
// owner of the data folder, or else as postgres or nobody. If that user cannot enter the
// data folder (for example in root's home), the cluster is in a new folder below
// /var/lib/portico, and DIR/postgres is a symbolic link to it. Operators may move the
// cluster in the same way. This package never deletes a complete cluster.
//
// The server listens only on a unix socket, in a folder that no other user can enter. On
// systems other than Linux, the server of a killed owner keeps running until the next
// start.
package private
