package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// grow fills the database up to the size. The rows come from one statement each, without the
// triggers, which are made for the few rows of a request.
func (w *world) grow(ctx context.Context, to size) error {
	fill := func(owner, privacy string, count int) string {
		return fmt.Sprintf(`INSERT INTO spaces (id, owner_id, title, description, type, privacy, visit_count)
			SELECT %[1]s || '_%[2]s' || n, %[1]s, 'Space ' || n || ' of ' || md5(n::text), 'Rooms of ' || left(md5((n / 7)::text), 8), 'hub', '%[2]s', n::bigint * 7919 %% 10000
			FROM generate_series(1, %[3]d) AS n ON CONFLICT DO NOTHING`, owner, privacy, count)
	}
	err := pgx.BeginFunc(ctx, w.pool, func(tx pgx.Tx) error {
		if err := execute(ctx, tx, "SET LOCAL session_replication_role = replica", "SET LOCAL maintenance_work_mem = '1GB'"); err != nil {
			return err
		}
		return fillWithoutIndexes(ctx, tx, func() error {
			err := execute(ctx, tx,
				"INSERT INTO users (id, email, name, plan, quota) SELECT 90000000 + n, n || '@example.com', 'Ada', 'free', 1 FROM generate_series(0, 9999) AS n ON CONFLICT DO NOTHING",
				fill("'"+w.owner+"'", "Private", to.spaces),
				fill("(90000000 + n % 10000)", "Public", to.public),
				fmt.Sprintf(`INSERT INTO entities (space_id, entity_id, type, data, bytes)
					SELECT '%s', 'grown-' || n, '%s', '{"a": 1}', 100 FROM generate_series(1, %d) AS n ON CONFLICT DO NOTHING`, w.listed, entityType, to.entities),
				"DELETE FROM totals",
				"INSERT INTO totals SELECT owner_id || ' ' || privacy, 0, count(*) FROM spaces GROUP BY owner_id, privacy",
				"INSERT INTO totals SELECT 'Public', 0, count(*) FROM spaces WHERE privacy = 'Public'",
			)
			if err != nil {
				return err
			}
			return addTexts(ctx, tx)
		})
	})
	if err != nil {
		return err
	}
	_, err = w.pool.Exec(ctx, "VACUUM ANALYZE")
	return err
}

// execute executes statements one after the other. Its error shows the beginning of the statement
// that failed.
func execute(ctx context.Context, tx pgx.Tx, statements ...string) error {
	for _, statement := range statements {
		if _, err := tx.Exec(ctx, statement); err != nil {
			return fmt.Errorf("%.60s: %w", statement, err)
		}
	}
	return nil
}

// fillWithoutIndexes calls fill while the tables that grow have only their primary keys. Creating
// an index afterwards takes a fraction of the time that adding the rows to it one by one would.
func fillWithoutIndexes(ctx context.Context, tx pgx.Tx, fill func() error) error {
	rows, err := tx.Query(ctx, `SELECT 'DROP INDEX ' || indexrelid::regclass, pg_get_indexdef(indexrelid) FROM pg_index
		WHERE indrelid IN ('spaces'::regclass, 'space_texts'::regclass, 'entities'::regclass) AND NOT indisprimary`)
	if err != nil {
		return err
	}
	var drops, creates []string
	var drop, create string
	if _, err := pgx.ForEachRow(rows, []any{&drop, &create}, func() error {
		drops, creates = append(drops, drop), append(creates, create)
		return nil
	}); err != nil {
		return err
	}
	if err := execute(ctx, tx, drops...); err != nil {
		return err
	}
	if err := fill(); err != nil {
		return err
	}
	return execute(ctx, tx, creates...)
}

// addTexts adds the pieces of the spaces that have none. search_pieces would need 0.4 ms for
// each of a million spaces, so they are computed here; a sample is compared with search_pieces.
func addTexts(ctx context.Context, tx pgx.Tx) error {
	rows, err := tx.Query(ctx, `SELECT id, owner_id, sequence, title || E'\n' || description FROM spaces WHERE id NOT IN (SELECT space_id FROM space_texts)`)
	if err != nil {
		return err
	}
	type space struct {
		ID, Owner string
		Sequence  int64
		Text      string
	}
	spaces, err := pgx.CollectRows(rows, pgx.RowToStructByPos[space])
	if err != nil {
		return err
	}
	if _, err := tx.CopyFrom(ctx, pgx.Identifier{"space_texts"}, []string{"space_id", "owner_id", "sequence", "pieces"},
		pgx.CopyFromSlice(len(spaces), func(i int) ([]any, error) {
			return []any{spaces[i].ID, spaces[i].Owner, spaces[i].Sequence, searchPieces(spaces[i].Text)}, nil
		})); err != nil {
		return err
	}
	var different int
	if err := tx.QueryRow(ctx, `SELECT count(*) FROM (SELECT * FROM space_texts LIMIT 100) AS sample JOIN spaces ON id = space_id
		WHERE pieces <> search_pieces(title || E'\n' || description, 1)`).Scan(&different); err != nil {
		return err
	}
	if different > 0 {
		return errors.New("searchPieces differs from search_pieces in the database")
	}
	return nil
}

// searchPieces is search_pieces of the database, from one character on, for a text in ASCII.
//
// Each letter begins pieces of one, two and three letters. A piece is the number that its letters
// make, 21 bits for each from bit 62 down, modulo the largest int32:
//
//	bits 42 to 62    the first letter
//	bits 21 to 41    the second, or 0
//	bits 0 to 20     the third, or 0
func searchPieces(text string) []int32 {
	letters := []byte(strings.ToLower(text))
	pieces := make([]int32, 0, 3*len(letters))
	for i := range letters {
		number, shift := int64(0), 42
		for _, letter := range letters[i:min(i+3, len(letters))] {
			number += int64(letter) << shift
			pieces = append(pieces, int32(number%(1<<31-1)))
			shift -= 21
		}
	}
	slices.Sort(pieces)
	return slices.Compact(pieces)
}
