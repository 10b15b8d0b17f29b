package migrations

import (
	"context"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"
)

// Plan is what Run is about to do to tables that exist.
type Plan struct {
	// Files are the names of the migrations.
	Files []string
	// Bytes is the size of the tables that they read or write, with indexes. To write a table anew
	// takes up to as much again, and as much for the log of Postgres.
	Bytes int64
	// DatabaseBytes is the size of the whole database.
	DatabaseBytes int64
	// Duration is about how long the migrations take, from the speed at which a part of the largest
	// table was just read.
	Duration time.Duration
}

// touchedTables matches the line in which a migration names the tables that it reads or writes. One
// without the line may touch all of them.
var touchedTables = regexp.MustCompile(`(?m)^-- Touches: ([a-z_, ]+)\.?$`)

const (
	// sampleBytes is about how much of a table is read for an estimate.
	sampleBytes = 16 << 20
	// rewriteFactor is how much longer it takes to write rows with their indexes than to read them.
	rewriteFactor = 4
)

// planMigration sizes the migrations with these names.
func planMigration(ctx context.Context, root *bun.DB, files fs.FS, names []string) (Plan, error) {
	plan := Plan{Files: names, Duration: time.Second}
	touched, all := []string{}, false
	for _, name := range names {
		statements, err := fs.ReadFile(files, name)
		if err != nil {
			return plan, err
		}
		if found := touchedTables.FindSubmatch(statements); found != nil {
			for table := range strings.SplitSeq(string(found[1]), ",") {
				touched = append(touched, strings.TrimSpace(table))
			}
		} else {
			all = true
		}
	}
	var tables []struct {
		Name  string
		Bytes int64
	}
	err := root.NewRaw(`SELECT relname AS name, pg_total_relation_size(oid) AS bytes FROM pg_class
		WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace AND (? OR relname = ANY(?::text[]))
		ORDER BY bytes DESC`, all, pgdialect.Array(touched)).Scan(ctx, &tables)
	if err != nil {
		return plan, fmt.Errorf("size the tables: %w", err)
	}
	for _, table := range tables {
		plan.Bytes += table.Bytes
	}
	if err := root.NewRaw("SELECT pg_database_size(current_database())").Scan(ctx, &plan.DatabaseBytes); err != nil {
		return plan, fmt.Errorf("size the database: %w", err)
	}
	if plan.Bytes < sampleBytes {
		return plan, nil
	}
	largest := tables[0]
	percent := min(100, 100*float64(sampleBytes)/float64(largest.Bytes))
	started, read := time.Now(), int64(0)
	err = root.NewRaw("SELECT coalesce(sum(hashtext(t::text)), 0) FROM ? AS t TABLESAMPLE SYSTEM (?)",
		bun.Ident(largest.Name), percent).Scan(ctx, &read)
	if err != nil {
		return plan, fmt.Errorf("time the table %s: %w", largest.Name, err)
	}
	whole := time.Since(started).Seconds() * 100 / percent * float64(plan.Bytes) / float64(largest.Bytes)
	plan.Duration += time.Duration(rewriteFactor * whole * float64(time.Second)).Round(time.Second)
	return plan, nil
}
