package worker

import (
	"testing"

	"portico/model"
)

func TestConversion_to_a_turntable_reports_that_it_draws(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.convert(t, w.addFile(t, "scan.ply", "sss"), model.ConvertToTurntable)
	w.start(t, withScript("slow"))
	w.await(t, job.ID, "drawing", func(job *model.Job) bool {
		step := job.Step()
		return step != nil && step.Name == model.JobDrawingTurntable && step.Total == 100
	})
	w.cancel(t, job) // so that the test need not wait for it
}

// A capture that is upside down is upright in its turntable, as in its poster. Changes may rotate
// the capture, so the viewpoint is not used with them.
func TestConversion_to_a_turntable_knows_the_first_view(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	worker := w.idle(t, withScript("good"))
	source := w.prepared(t, worker, w.addFile(t, "scan.ply", "sss"))
	if _, err := w.db.Files().AddCollision(t.Context(), source, "c", 0, foundStart()); err != nil {
		t.Fatalf("add a collision: %v", err)
	}
	for want, edits := range map[string][]*model.EditInput{
		"made of sss from [1 2 3]":   nil,
		"made of sss rotate 0,0,180": {{Rotate: []float64{0, 0, 180}}},
	} {
		job := w.convert(t, source, model.ConvertToTurntable, edits...)
		if err := w.attempt(t, worker, job); err != nil {
			t.Fatalf("work: got %v, want nil", err)
		}
		if got := string(w.content(t, w.awaitCompleted(t, job.ID).StorageKey())); got != want {
			t.Errorf("file: got %q, want %q", got, want)
		}
	}
}
