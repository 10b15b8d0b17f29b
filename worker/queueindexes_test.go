package worker

import (
	"slices"
	"testing"

	"github.com/riverqueue/river"

	"portico/db"
	"portico/db/dial"
)

// The role of the application does not own the table, so only a function of the owner can.
func TestRebuildWorker_rebuilds_the_indexes_of_the_queue(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	worker := w.idle(t)
	pool, err := dial.OpenQueue(t.Context(), w.url, 1)
	if err != nil {
		t.Fatalf("connect: %v", err)
	}
	defer pool.Close()
	stored := func() (file string) {
		err := pool.QueryRow(t.Context(),
			"SELECT string_agg(pg_relation_filenode(indexrelid)::text, ' ' ORDER BY indexrelid) FROM pg_index WHERE indrelid = 'river_job'::regclass").Scan(&file)
		if err != nil {
			t.Fatalf("find the files of the indexes: %v", err)
		}
		return file
	}
	before := stored()
	if err := (&rebuildWorker{w: worker}).Work(t.Context(), &river.Job[rebuildArgs]{}); err != nil {
		t.Fatalf("rebuild: got %v, want no error", err)
	}
	if after := stored(); after == before {
		t.Errorf("files of the indexes: got %q as before, want others", after)
	}
	if _, err := pool.Exec(t.Context(), "REINDEX TABLE river_job"); err == nil {
		t.Error("REINDEX by the application itself: got no error, want it refused")
	}
}

// Operators retry work by its kind, and package graph refuses a kind that db.Kinds leaves out.
func TestArgs_have_kinds_of_the_list(t *testing.T) {
	t.Parallel()
	var kinds []string
	for _, args := range []river.JobArgs{
		jobArgs{}, preparationArgs{}, viewArgs{}, collisionArgs{}, formatArgs{}, webhookArgs{}, mailArgs{}, purgeArgs{}, rebuildArgs{}, sampleArgs{},
	} {
		kinds = append(kinds, args.Kind())
	}
	if got, want := kinds, db.Kinds(); !slices.Equal(got, want) {
		t.Errorf("kinds: got %q, want %q", got, want)
	}
}
