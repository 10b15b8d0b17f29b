package worker

import (
	"slices"
	"testing"

	"github.com/riverqueue/river/rivertype"

	"portico/db"
	"portico/model"
)

// A process that is killed between the store and the database leaves objects that no row
// counts. The next attempt overwrites them, and giving up removes them. The metrics count the file
// as failed, whether its last attempt returned an error or crashed its process.
func TestFileJob_given_up_is_observed_and_leaves_no_uncounted_objects(t *testing.T) {
	t.Parallel()
	first := posterFolder(&model.File{})
	for _, test := range []struct {
		name    string
		work    fileWork
		objects []string
		attempt int
	}{
		{"a poster, all processes killed", preparationWork, []string{first + "poster.jpg", first + "poster-320.jpg"}, db.JobAttempts + 1},
		{"a poster, the last attempt failed", preparationWork, []string{first + "poster.jpg"}, db.JobAttempts},
		{"a view, all processes killed", viewWork, []string{"view/lod-meta.json", "view/0_0/means_l.webp"}, db.JobAttempts + 1},
		{"a view, the last attempt failed", viewWork, []string{"view/lod-meta.json"}, db.JobAttempts},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			file := w.addFile(t, "scan.ply", "sss")
			for _, name := range test.objects {
				w.put(t, file.DerivedStorageRoot()+name)
			}
			row := &rivertype.JobRow{ID: 1, Attempt: test.attempt}
			var outcomes []Outcome
			worker := w.idle(t, withScript("panic"), func(o *Options) {
				o.Observe = func(a Attempt) { outcomes = append(outcomes, a.Outcome) }
			})
			err := worker.runFileJob(t.Context(), row, fileArgsOf(file), test.work)
			if err != nil {
				t.Errorf("give up: got %v, want nil", err)
			}
			if !slices.Equal(outcomes, []Outcome{Failed}) {
				t.Errorf("observed: got %v, want %v once", outcomes, Failed)
			}
			w.awaitObjects(t, map[string]int64{file.StorageKey(): 3})
		})
	}
}
