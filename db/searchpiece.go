package db

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"sync"
	"time"

	"github.com/uptrace/bun/dialect/pgdialect"
)

// The pieces by which a search looks up a text in the index. The more spaces
// contain a piece, the longer its list takes to read.
const (
	// A piece that more than half of the spaces contain excludes too few of them: comparing the
	// texts of the spaces is faster.
	maxPieceFrequency = 0.5
	// Pieces that together leave one of 100,000 spaces are enough: the texts of these are
	// compared.
	selectiveEnough = 1e-5
	// Up to this share of the spaces is looked up in the index and sorted. Of a larger share, reading
	// the newest spaces finds enough for a page and its total soon.
	maxCandidateShare = 0.02
)

// pieceStatisticsAge is how old the statistics of pieces may be. Postgres collects them
// rarely: autovacuum does when a tenth of the table has changed.
const pieceStatisticsAge = 10 * time.Minute

// pieceStatistics are the frequencies of pieces that Postgres has collected (see migration
// 0041_search). They only decide how a search finds its spaces, never which it finds.
//
// mu is held while the statistics are read, so that only one of many searches reads them.
type pieceStatistics struct {
	mu     sync.Mutex
	readAt time.Time
	// common has the share of the spaces that contain a piece, for the most common pieces;
	// empty before the statistics were collected.
	common map[int32]float32
	// other is the maximum for all other pieces.
	other float32
}

// frequency returns the frequency of the piece.
func (s *pieceStatistics) frequency(piece int32) float32 {
	if frequency, ok := s.common[piece]; ok {
		return frequency
	}
	return s.other
}

// rarest returns the pieces by which a search should look up a text that consists of pieces, and the
// share of the spaces that have them: no pieces if comparing the texts is faster, and all of them
// without statistics.
func (s *pieceStatistics) rarest(pieces []int32) (rarest []int32, share float32) {
	if len(s.common) == 0 {
		return pieces, 1
	}
	slices.SortFunc(pieces, func(a, b int32) int { return cmp.Compare(s.frequency(a), s.frequency(b)) })
	share = 1
	for i, piece := range pieces {
		if s.frequency(piece) > maxPieceFrequency || share <= selectiveEnough {
			return pieces[:i], share
		}
		share *= s.frequency(piece) // as if pieces were independent, as Postgres assumes
	}
	return pieces, share
}

// refresh reads the statistics unless they are recent enough.
func (s *pieceStatistics) refresh(ctx context.Context, db *DB) error {
	if time.Since(s.readAt) < pieceStatisticsAge {
		return nil
	}
	common, other := map[int32]float32{}, float32(0)
	err := db.rows(ctx, func(rows *sql.Rows) error {
		var piece int32
		var frequency float32
		if err := rows.Scan(&piece, &frequency); err != nil {
			return err
		}
		if len(common) == 0 || frequency < other {
			other = frequency
		}
		common[piece] = frequency
		return nil
	}, `SELECT piece, frequency
		FROM pg_stats, unnest(most_common_elems::text::int[], most_common_elem_freqs) AS common (piece, frequency)
		WHERE schemaname = current_schema() AND tablename = 'space_texts' AND attname = 'pieces' AND piece IS NOT NULL`)
	if err == nil {
		s.common, s.other, s.readAt = common, other, time.Now()
	}
	return err
}

// rarestPieces returns the pieces by which a search should look up the text, and the share of the
// spaces that have them.
//
// A text of one or two characters has one piece, of its own length; a longer text has its pieces of
// three characters, each of which is rarer than the shorter ones in it.
func (db *DB) rarestPieces(ctx context.Context, text string) (rarest []int32, share float32, err error) {
	var pieces []int32
	err = db.rows(ctx, func(rows *sql.Rows) error {
		var piece int32
		err := rows.Scan(&piece)
		pieces = append(pieces, piece)
		return err
	}, "SELECT unnest(search_pieces($1, least(char_length(lower($1)), 3)))", text)
	if err != nil {
		return nil, 0, err
	}
	db.pieces.mu.Lock()
	defer db.pieces.mu.Unlock()
	if err := db.pieces.refresh(ctx, db); err != nil {
		return nil, 0, err
	}
	rarest, share = db.pieces.rarest(pieces)
	return rarest, share, nil
}

// filterByText leaves the spaces whose title or description contains the text. The index finds
// candidates: only a space with all pieces of the text can contain it.
func (l *listing) filterByText(ctx context.Context, db *DB, text string) error {
	pattern := "%" + likeEscaper.Replace(text) + "%"
	l.filterWithoutTotal("(title ILIKE ? OR description ILIKE ?)", pattern, pattern)
	pieces, share, err := db.rarestPieces(ctx, text)
	switch {
	case err != nil || len(pieces) == 0:
	case share <= maxCandidateShare:
		l.candidates = "SELECT space_id, owner_id AS candidate_owner, sequence AS candidate_sequence FROM space_texts WHERE pieces @> ?::int[]"
		l.candidatesArgs = []any{pgdialect.Array(pieces)}
		// The candidates are sorted before their spaces are read, one by one, until the page is full
		// or the total is counted: OFFSET and LIMIT keep Postgres from reading all of them first.
		// The joined columns let it leave out other owners, and know the order of the spaces.
		l.table = `(SELECT * FROM candidates ORDER BY candidate_sequence DESC OFFSET 0) AS candidate
			JOIN LATERAL (SELECT * FROM spaces WHERE id = space_id LIMIT 1) AS spaces
			ON ` + ownedBy + `candidate_owner AND sequence = candidate_sequence`
	default:
		l.filterWithoutTotal("id IN (SELECT space_id FROM space_texts WHERE pieces @> ?::int[])", pgdialect.Array(pieces))
	}
	return err
}
