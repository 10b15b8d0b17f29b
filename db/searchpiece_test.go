package db

import (
	"slices"
	"testing"
	"time"

	"portico/internal/testkit/race"
	"portico/model"
)

func TestRarestPieces(t *testing.T) {
	t.Parallel()
	known := &pieceStatistics{common: map[int32]float32{1: 1, 2: 0.9, 3: 0.3, 4: 0.05, 5: 0.01, 6: 0.009}, other: 0.009}
	tests := map[string]struct {
		statistics   *pieceStatistics
		pieces, want []int32
	}{
		"pieces_of_most_spaces_are_left_out": {known, []int32{1, 3, 2, 4}, []int32{4, 3}},
		"unknown_pieces_are_rare":            {known, []int32{1, 70}, []int32{70}},
		"a_few_rare_pieces_are_enough":       {known, []int32{4, 5, 6, 70}, []int32{6, 70, 5}},
		"no_piece_for_a_text_of_most_spaces": {known, []int32{1, 2}, []int32{}},
		"all_pieces_without_statistics":      {&pieceStatistics{}, []int32{1, 2, 3, 4, 5}, []int32{1, 2, 3, 4, 5}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got, _ := test.statistics.rarest(test.pieces); !slices.Equal(got, test.want) {
				t.Errorf("rarest pieces: got %v, want %v", got, test.want)
			}
		})
	}
}

// The statistics of pieces change how a search finds its spaces, never which ones.
func TestSearch_finds_the_same_with_statistics(t *testing.T) {
	t.Parallel()
	race.SkipCovered(t, "TestTotals_are_exact_under_concurrent_writers")
	db := testDB(t)
	asAdmin(t, db, grownTables)
	asAdmin(t, db, `UPDATE spaces SET title = 'Space ' || id || ' of ' || md5(id), description = 'Größe' WHERE owner_id = '`+grownUser+`'`)
	texts := []string{"space", "space s1", "ace", "of ", "öß", "e", "4", "04 of", "none of these"}
	find := func() (found [][]string) {
		for _, text := range texts {
			page, err := db.SpacesOf(t.Context(), grownUser, model.SpaceFilter{}, model.Page{Limit: 50, Search: text})
			check(t, err)
			var ids []string
			for _, space := range page.Nodes {
				ids = append(ids, space.ID)
			}
			found = append(found, ids)
		}
		return found
	}
	db.pieces.readAt = time.Now() // no statistics
	without := find()
	db.pieces.readAt = time.Time{}
	with := find()
	if len(db.pieces.common) == 0 {
		t.Fatal("statistics of pieces: got none, want the most common")
	}
	for i, text := range texts {
		if none := i == len(texts)-1; len(with[i]) == 0 != none {
			t.Errorf("search for %q: got %d spaces, want none only for the last text", text, len(with[i]))
		}
		if !slices.Equal(without[i], with[i]) {
			t.Errorf("search for %q: got %v with statistics, want %v", text, with[i], without[i])
		}
	}
}
