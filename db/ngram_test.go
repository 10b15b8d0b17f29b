package db

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/model"
)

func TestRarestNgrams(t *testing.T) {
	t.Parallel()
	known := &ngramFrequencies{common: map[int32]float32{1: 1, 2: 0.9, 3: 0.3, 4: 0.05, 5: 0.01, 6: 0.009}, other: 0.009}
	tests := map[string]struct {
		frequencies  *ngramFrequencies
		ngrams, want []int32
	}{
		"ngrams_of_most_spaces_are_left_out":     {known, []int32{1, 3, 2, 4}, []int32{4, 3}},
		"unknown_ngrams_are_rare":                {known, []int32{1, 70}, []int32{70}},
		"a_few_rare_ngrams_are_enough":           {known, []int32{4, 5, 6, 70}, []int32{6, 70, 5}},
		"no_ngram_for_a_text_of_most_spaces":     {known, []int32{1, 2}, []int32{}},
		"all_ngrams_without_statistics":          {&ngramFrequencies{}, []int32{1, 2, 3, 4, 5}, []int32{1, 2, 3, 4, 5}},
		"all_ngrams_before_the_first_statistics": {nil, []int32{1, 2}, []int32{1, 2}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got, _ := test.frequencies.rarest(test.ngrams); !slices.Equal(got, test.want) {
				t.Errorf("rarest n-grams: got %v, want %v", got, test.want)
			}
		})
	}
}

// The statistics of n-grams change how a search finds its spaces, never which ones.
func TestSearch_finds_the_same_with_statistics(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	asAdmin(t, db, grownTables)
	asAdmin(t, db, `UPDATE spaces SET title = 'Space ' || id || ' of ' || md5(id), description = 'Größe' WHERE owner_id = '`+grownUser+`'`)
	texts := []string{"space", "space s1", "ace", "of ", "öß", "e", "4", "04 of", "none of these"}
	find := func() (found [][]string) {
		for _, text := range texts {
			var ids []string
			for _, page := range []model.Page{{Limit: 50}, {Limit: 2, Backward: true}, {Limit: 50, Order: model.Order{Field: model.OrderByTitle}}} {
				page.Search = text
				owned, err := db.Spaces().SpacesOf(t.Context(), grownUser, model.SpaceFilter{}, page)
				check(t, err)
				public, err := db.Spaces().PublicSpaces(t.Context(), model.SpaceFilter{}, page)
				check(t, err)
				for _, space := range slices.Concat(owned.Nodes, public.Nodes) {
					ids = append(ids, space.ID)
				}
				ids = append(ids, fmt.Sprint(owned.TotalCount, public.TotalCount))
			}
			found = append(found, ids)
		}
		return found
	}
	db.ngrams.latest.Store(&ngramFrequencies{readAt: time.Now()}) // no statistics
	without := find()
	db.ngrams.latest.Store(nil)
	with := find()
	if len(db.ngrams.latest.Load().common) == 0 {
		t.Fatal("statistics of n-grams: got none, want the most common")
	}
	for i, text := range texts {
		const totals = 3 // of the pages
		if none := i == len(texts)-1; (len(with[i]) == totals) != none {
			t.Errorf("search for %q: got %d spaces, want none only for the last text", text, len(with[i])-totals)
		}
		if !slices.Equal(without[i], with[i]) {
			t.Errorf("search for %q: got %v with statistics, want %v", text, with[i], without[i])
		}
	}
}

// The statement of the search that reads the statistics may take as long as the database likes.
func TestSearch_does_not_wait_for_another_search_that_reads_the_statistics(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	owner := addUser(t, db)
	addSpace(t, db, owner, "Kitchen")
	old := &ngramFrequencies{readAt: time.Now().Add(-2 * ngramStatisticsAge)}
	for name, known := range map[string]*ngramFrequencies{"the first time": nil, "again": old} {
		db.ngrams.latest.Store(known)
		db.ngrams.isReading.Store(true) // by another search
		found, err := db.Spaces().SpacesOf(t.Context(), owner.ID, model.SpaceFilter{}, model.Page{Limit: 2, Search: "kitchen"})
		if err != nil || len(found.Nodes) != 1 || db.ngrams.latest.Load() != known {
			t.Errorf("%s: got %v, %v; want the space, and no statement for the statistics", name, found, err)
		}
	}
	db.ngrams.isReading.Store(false)
	_, err := db.Spaces().SpacesOf(t.Context(), owner.ID, model.SpaceFilter{}, model.Page{Limit: 2, Search: "kitchen"})
	if latest := db.ngrams.latest.Load(); err != nil || latest == old || db.ngrams.isReading.Load() {
		t.Errorf("the next search: got %v, %v; want that it has read the statistics", latest, err)
	}
}

// A search looks up the spaces of its candidates in the order of the list, so that it can stop when
// its page is full.
func TestSearch_sorts_its_candidates_before_it_reads_their_spaces(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	asAdmin(t, db, grownTables)
	asAdmin(t, db, `UPDATE spaces SET title = 'Kitchen' WHERE sequence % 100 = 0; ANALYZE`)
	for _, plan := range plansOf(t, db, func(ctx context.Context, db *DB) error {
		found, err := db.Spaces().SpacesOf(ctx, grownUser, model.SpaceFilter{}, model.Page{Limit: 50, Search: "kitchen"})
		if err == nil && found.TotalCount != len(found.Nodes) {
			t.Errorf("total: got %d, want %d", found.TotalCount, len(found.Nodes))
		}
		return err
	}) {
		if strings.Contains(plan, "page.*") && strings.Count(plan, "Sort Key: candidates") != 2 {
			t.Errorf("plan: got no sort of the candidates for the page and the total, want one\n%s", plan)
		}
	}
}
