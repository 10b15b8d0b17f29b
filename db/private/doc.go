// Package private runs a PostgreSQL cluster of our own inside the data folder,
// so that `portico serve` needs no database server to be set up. The tests of
// the other packages use it too, through internal/dbtest.
//
// # Who runs the server
//
// The first process that starts a cluster owns it: PostgreSQL is its child and
// ends with it, also when the owner is killed (on Linux). Every process after
// that adopts the running server. The owner's Stop is a fast shutdown: open
// transactions are rolled back and the connections of the adopters break. An
// adopter notices within a moment, starts the server again under the same
// address and owns it from then on, so a pool that reconnects is all it needs.
// In the same way an owner starts its server again when that dies.
//
// A lock file decides who owns the cluster. The server holds the owner's lock
// too (it inherits the open file), so a free lock proves that no server is left.
// A second lock, the owner's alone, tells that the owner lives: the server of
// an owner that was killed is never adopted. The next start waits for its end.
//
// # Where it lives
//
//	DIR/postgres/lock        held by the owner and by the server
//	DIR/postgres/owner       held by the owner
//	DIR/postgres/password    of the superuser, mode 0600
//	DIR/postgres/data        the cluster; data.new while it is being made
//	DIR/postgres/server.log  what PostgreSQL says, cut at the start above 10 MB
//
// # Who may do what
//
// The superuser portico makes two roles at each start and hands the schema over:
// portico_owner owns the tables and runs migrations, portico_app does what these
// have granted it. Their passwords are derived from the superuser's. Older
// folders, where the superuser owned everything, are upgraded in place.
//
// PostgreSQL refuses to run as root. Started by root, it runs as the owner of
// the data folder, or else as postgres or nobody. If that user cannot enter the
// data folder (root's home, for example) the cluster lives in a new folder
// below /var/lib/portico and DIR/postgres is a symbolic link to it. An operator
// may put the cluster anywhere in the same way. Nothing here ever deletes a
// finished cluster.
//
// The server listens on a unix socket only, in a folder that nobody else can
// enter. On systems other than Linux a killed owner leaves the server running
// until the next start.
package private
