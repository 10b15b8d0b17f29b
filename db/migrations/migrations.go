// Package migrations has the SQL files that create the schema, runs them, and grants the rights of the
// application. Each name is four digits and a subject. Run runs the files forward only, in the order of
// their numbers. A released file is never edited: a change of it is a new file. Until 0.1.0 is released
// there is one file, which is edited itself.
//
// A later file names the tables that it reads or writes in a line "-- Touches: entities, spaces.". From
// their sizes Run says how long it takes and what room it needs; without the line, all tables count.
//
// # Why it is our own
//
// We tried github.com/uptrace/bun/migrate v1.3.0:
//
//   - It records that a file has run outside of the file's transaction. By default it
//     does so before the file: a file that failed counted as run, and the next start
//     continued with the following file. With WithMarkAppliedOnSuccess it does so after
//     the commit, so a process that is killed in between runs the file twice. This package
//     runs the file and records it in one transaction.
//   - Its lock is a row. The row of a process that was killed stays, and every later
//     start fails with "migrations table is already locked" after 0.3 ms, until
//     somebody deletes the row. Replicas that start at the same time fail in the same
//     way, instead of waiting. An advisory lock ends with its connection, and waiting
//     for it ends with the context.
//   - Init needs the right to create tables at each start, even if they exist. For the
//     application's role it fails with "permission denied for schema public", but that
//     role must be able to check that there is nothing to do.
//
// It would save the 50 lines that list and run files. The lock, River's schema and the grants would
// still be ours.
package migrations

import "embed"

// Files holds the migrations.
//
//go:embed *.sql
var Files embed.FS
