// Package migrations embeds the SQL files that make the schema, four digits and
// a name each. They run forward only, in the order of their numbers, and are
// never edited once released.
package migrations

import "embed"

// Files holds the migrations.
//
//go:embed *.sql
var Files embed.FS
