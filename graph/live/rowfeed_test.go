package live

import (
	"context"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sync/semaphore"

	"portico/db"
)

// A source with scripted rows.
type scriptedRows struct {
	versions []db.RowVersion
	read     []string // ids whose states were read
}

func (s *scriptedRows) source() rowSource[string] {
	return rowSource[string]{
		versions: func(context.Context) ([]db.RowVersion, error) { return slices.Clone(s.versions), nil },
		states: func(_ context.Context, ids []string) (states []rowState[string], _ error) {
			for _, v := range s.versions {
				if slices.Contains(ids, v.ID) && len(states) < 3 {
					s.read = append(s.read, v.ID)
					row := v.ID + v.Version
					states = append(states, rowState[string]{v.ID, v.Version, &row, maxLogBytes / 4})
				}
			}
			return states, nil
		},
	}
}

// feed returns a feed of the rows, and a function that sets the current rows to the rows of a step:
// letters with their versions.
func (s *scriptedRows) feed(t *testing.T) (feed *rowFeed[string, string], load func(step string)) {
	source := s.source()
	var shared *ownedRows[string]
	load = func(step string) {
		s.versions = nil
		for row := range strings.FieldsSeq(step) {
			s.versions = append(s.versions, db.RowVersion{ID: row[:1], Version: row[1:]})
		}
		for again := moreInterval; again > 0; {
			var err error
			shared, again, err = source.load(t.Context(), shared)
			check(t, err)
		}
	}
	return &rowFeed[string, string]{
		engine: &engine{slots: semaphore.NewWeighted(1)}, source: source,
		events: rowEvents[string, string]{
			snapshot: func() string { return "snapshot" },
			created:  func(row *string) string { return "+" + *row },
			changed:  func(row *string) string { return "~" + *row },
			deleted:  func(id string) string { return "-" + id },
		},
		load: func(context.Context) (*ownedRows[string], error) { return shared, nil },
	}, load
}

func TestRowFeed_merges_the_changes_between_two_reads(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		steps []string // the rows with their versions after each read of all subscriptions
		want  string
	}{
		{"created, changed and deleted rows", []string{"a1 b1", "b2 c1"}, "-a ~b2 +c1"},
		{"the newest state only", []string{"a1", "a2", "a3", "a4"}, "~a4"},
		{"a row that was created and deleted", []string{"a1", "a1 b1", "a1"}, ""},
		{"a row that was deleted and created again", []string{"a1", "", "a7"}, "~a7"},
		{"rows that were created and changed", []string{"", "a1", "a2 b1"}, "+a2 +b1"},
		{"more than one read returns", []string{"", "a1 b1 c1 d1 e1 f1 g1"}, "+a1 +b1 +c1 +d1 +e1 +f1 +g1"},
		{"states that are not recent any more", []string{"a1 b1 c1 d1 e1 f1", "a2 b1 c1 d1 e1 f1", "a2 b2 c2 d2 e2 f2"}, "~a2 ~b2 ~c2 ~d2 ~e2 ~f2"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			feed, load := (&scriptedRows{}).feed(t)
			load(test.steps[0])
			events, _, err := feed.read(t.Context())
			check(t, err)
			equal(t, "first", strings.Join(events, " "), "snapshot")
			feed.markDelivered(events[0])
			for _, step := range test.steps[1:] {
				load(step)
				_, _, err := feed.read(t.Context()) // offered and withdrawn by the next change
				check(t, err)
			}
			var got []string
			for more := true; more; {
				events, more, err = feed.read(t.Context())
				check(t, err)
				for _, event := range events {
					got = append(got, event)
					feed.markDelivered(event)
				}
			}
			equal(t, "events", strings.Join(got, " "), test.want)
			events, _, err = feed.read(t.Context())
			check(t, err)
			equal(t, "events after all were received", len(events), 0)
			equal(t, "remembered changes", len(feed.since), 0)
		})
	}
}
