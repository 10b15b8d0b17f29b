// Package migrations embeds the SQL files that make the schema, four digits and
// a name each. They run forward only, in the order of their numbers, and are
// never edited once released.
//
// # Why package db runs them itself
//
// We tried github.com/uptrace/bun/migrate v1.3.0 in its place:
//
//   - The mark that a file has run is not in the file's transaction. By default it
//     comes before: a file that failed counted as run, and the next start went on with
//     the file after it. WithMarkAppliedOnSuccess puts it after the commit, so a
//     process that is killed in between runs the file twice. In package db both are
//     one transaction.
//   - Its lock is a row. The row of a process that was killed stays, and every later
//     start fails with "migrations table is already locked" after 0.3 ms, until
//     somebody deletes it. Replicas that start at once fail in the same way, in place
//     of waiting. An advisory lock ends with its connection, and waiting for it ends
//     with the context.
//   - Init needs the right to create tables at each start, even if they exist:
//     "permission denied for schema public" for the application's role, which must be
//     able to find that there is nothing to do.
//
// It would spare the 50 lines that list files and run them, and leave the lock, River's
// schema and the grants.
package migrations

import "embed"

// Files holds the migrations.
//
//go:embed *.sql
var Files embed.FS
