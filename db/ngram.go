package db

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"sync/atomic"
	"time"

	"github.com/uptrace/bun/dialect/pgdialect"
)

// The n-grams, of one to three characters, by which a search looks up a text in the index. Their
// column is named pieces. The more spaces contain an n-gram, the longer its list takes to read.
const (
	// An n-gram that more than half of the spaces contain excludes too few of them: comparing the
	// texts of the spaces is faster.
	maxNgramFrequency = 0.5
	// N-grams that together leave one of 100,000 spaces are enough: the texts of these are
	// compared.
	selectiveEnough = 1e-5
	// Up to this share of the spaces is looked up in the index and sorted. Of a larger share, reading
	// the newest spaces finds enough for a page and its total soon.
	maxCandidateShare = 0.02
)

// ngramStatisticsAge is how old the statistics of n-grams may be. Postgres collects them
// rarely: autovacuum does when a tenth of the table has changed.
const ngramStatisticsAge = 10 * time.Minute

// ngramStatistics keeps the latest frequencies of n-grams.
//
// Only one of many searches reads them again when they are old. The others do not wait for it,
// because the database may be slow: they use the old frequencies, or none.
type ngramStatistics struct {
	isReading atomic.Bool
	latest    atomic.Pointer[ngramFrequencies] // nil before they were read
}

// ngramFrequencies are the frequencies of n-grams that Postgres has collected (see Search in
// db/migrations/0001_schema.sql). They only decide how a search finds its spaces, never which it
// finds. A value is not changed after it was read.
type ngramFrequencies struct {
	readAt time.Time
	// common has the share of the spaces that contain an n-gram, for the most common n-grams;
	// empty before the statistics were collected.
	common map[int32]float32
	// other is the maximum for all other n-grams.
	other float32
}

// frequency returns the frequency of the n-gram.
func (f *ngramFrequencies) frequency(ngram int32) float32 {
	if frequency, ok := f.common[ngram]; ok {
		return frequency
	}
	return f.other
}

// rarest returns which of the n-grams of a text a search should look up, and the share of the
// spaces that have them: none if comparing the texts is faster, and all of them if f is nil or
// empty.
func (f *ngramFrequencies) rarest(ngrams []int32) (rarest []int32, share float32) {
	if f == nil || len(f.common) == 0 {
		return ngrams, 1
	}
	slices.SortFunc(ngrams, func(a, b int32) int { return cmp.Compare(f.frequency(a), f.frequency(b)) })
	share = 1
	for i, ngram := range ngrams {
		if f.frequency(ngram) > maxNgramFrequency || share <= selectiveEnough {
			return ngrams[:i], share
		}
		share *= f.frequency(ngram) // as if n-grams were independent, as Postgres assumes
	}
	return ngrams, share
}

// frequencies returns the latest frequencies, and reads them first if they are old and no other
// search is reading them. It returns nil while another search reads them for the first time.
func (s *ngramStatistics) frequencies(ctx context.Context, db *DB) (*ngramFrequencies, error) {
	latest := s.latest.Load()
	if latest != nil && time.Since(latest.readAt) < ngramStatisticsAge || !s.isReading.CompareAndSwap(false, true) {
		return latest, nil
	}
	defer s.isReading.Store(false)
	latest, err := db.readNgramFrequencies(ctx)
	if err == nil {
		s.latest.Store(latest)
	}
	return latest, err
}

// readNgramFrequencies reads the frequencies from the statistics of Postgres.
func (db *DB) readNgramFrequencies(ctx context.Context) (*ngramFrequencies, error) {
	common, other := map[int32]float32{}, float32(0)
	err := db.rows(ctx, func(rows *sql.Rows) error {
		var ngram int32
		var frequency float32
		if err := rows.Scan(&ngram, &frequency); err != nil {
			return err
		}
		if len(common) == 0 || frequency < other {
			other = frequency
		}
		common[ngram] = frequency
		return nil
	}, `SELECT piece, frequency
		FROM pg_stats, unnest(most_common_elems::text::int[], most_common_elem_freqs) AS common (piece, frequency)
		WHERE schemaname = current_schema() AND tablename = 'space_texts' AND attname = 'pieces' AND piece IS NOT NULL`)
	return &ngramFrequencies{readAt: time.Now(), common: common, other: other}, err
}

// rarestNgrams returns the n-grams by which a search should look up the text, and the share of the
// spaces that have them.
//
// A text of one or two characters has one n-gram, the text; a longer text has its n-grams of three
// characters, each of which is rarer than the shorter ones in it.
func (db *DB) rarestNgrams(ctx context.Context, text string) (rarest []int32, share float32, err error) {
	var ngrams []int32
	err = db.rows(ctx, func(rows *sql.Rows) error {
		var ngram int32
		err := rows.Scan(&ngram)
		ngrams = append(ngrams, ngram)
		return err
	}, "SELECT unnest(search_pieces($1, least(char_length(lower($1)), 3)))", text)
	if err != nil {
		return nil, 0, err
	}
	frequencies, err := db.ngrams.frequencies(ctx, db)
	if err != nil {
		return nil, 0, err
	}
	rarest, share = frequencies.rarest(ngrams)
	return rarest, share, nil
}

// filterByText leaves the spaces whose title or description contains the text. The index finds
// candidates: only a space with all n-grams of the text can contain it.
func (l *listing) filterByText(ctx context.Context, db *DB, text string) error {
	pattern := "%" + likeEscaper.Replace(text) + "%"
	l.addCondition("(title ILIKE ? OR description ILIKE ?)", pattern, pattern)
	ngrams, share, err := db.rarestNgrams(ctx, text)
	switch {
	case err != nil || len(ngrams) == 0:
	case share <= maxCandidateShare:
		l.candidates = "SELECT space_id, owner_id AS candidate_owner, sequence AS candidate_sequence FROM space_texts WHERE pieces @> ?::int[]"
		l.candidatesArgs = []any{pgdialect.Array(ngrams)}
		// The candidates are sorted before their spaces are read, one by one, until the page is full
		// or the total is counted: OFFSET and LIMIT keep Postgres from reading all of them first.
		// The joined columns let it leave out other owners, and know the order of the spaces.
		l.table = `(SELECT * FROM candidates ORDER BY candidate_sequence DESC OFFSET 0) AS candidate
			JOIN LATERAL (SELECT * FROM spaces WHERE id = space_id LIMIT 1) AS spaces
			ON ` + ownedBy("candidate_owner") + ` AND sequence = candidate_sequence`
	default:
		l.addCondition("id IN (SELECT space_id FROM space_texts WHERE pieces @> ?::int[])", pgdialect.Array(ngrams))
	}
	return err
}
