package worker

import (
	"context"
	"io"
	"testing"

	"github.com/riverqueue/river/rivertype"

	"portico/db"
	"portico/model"
	"portico/storage"
)

func stateOf(file *model.File, step model.PreparationStep) (model.PreparationState, string) {
	for _, s := range file.Preparation() {
		if s.Step == step {
			return s.State, s.Message
		}
	}
	return "", ""
}

// A step that fails is reported, and does not change the file.
func TestPreparation_that_fails_never_fails_the_file(t *testing.T) {
	t.Parallel()
	const fault = `Entry "data.bin": is cut short`
	for _, test := range []struct {
		name, script string
		work         fileWork
		step         model.PreparationStep
		want         string
	}{
		{"a poster with a fault", "fault on .jpg", preparationWork, model.StepPoster, fault},
		{"a poster that crashes", "panic on .jpg", preparationWork, model.StepPoster, model.InternalMessage},
		{"a view with a fault", "fault on .json", viewWork, model.StepView, fault},
		{"a view without memory", "out of memory for the heap on .json", viewWork, model.StepView, "Out of memory: the capture needs more memory than this server gives to a conversion"},
		{"a collision with a fault", "fault on .json", collisionWork, model.StepCollision, fault},
		{"a collision that crashes", "panic on .json", collisionWork, model.StepCollision, model.InternalMessage},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			added := w.addFile(t, "scan.ply", "sss")
			if err := w.db.Files().SetFacts(t.Context(), added.ResourceKey, &model.FileFacts{Format: model.FormatPLY, Splats: 3}); err != nil {
				t.Fatalf("set facts: %v", err)
			}
			if state, _ := stateOf(w.file(t, added), test.step); state != model.StepPending {
				t.Errorf("before: got %q, want %q", state, model.StepPending)
			}
			row := &rivertype.JobRow{ID: 1, Attempt: db.JobAttempts}
			if err := w.idle(t, withScript(test.script)).runFileJob(t.Context(), row, fileArgsOf(added), test.work); err != nil {
				t.Fatalf("work: got %v, want nil", err)
			}
			file := w.file(t, added)
			if state, message := stateOf(file, test.step); state != model.StepFailed || message != test.want {
				t.Errorf("after: got %q with %q, want %q with %q", state, message, model.StepFailed, test.want)
			}
			if string(w.content(t, file.StorageKey())) != "sss" || file.Facts == nil || file.Facts.Format != model.FormatPLY {
				t.Errorf("file: got facts %+v, want it as it was", file.Facts)
			}
			// A later attempt can succeed.
			if err := w.idle(t, withScript("good")).runFileJob(t.Context(), row, fileArgsOf(added), test.work); err != nil {
				t.Fatalf("again: got %v, want nil", err)
			}
			if state, _ := stateOf(w.file(t, added), test.step); state != model.StepReady {
				t.Errorf("again: got %q, want %q", state, model.StepReady)
			}
		})
	}
}

// filling is a store whose objects arrive when other uploads have used the storage of the account.
type filling struct {
	storage.Store
	fill func() error
}

// Put implements storage.Store.
func (s filling) Put(ctx context.Context, key string, r io.Reader) (int64, error) {
	if err := s.fill(); err != nil {
		return 0, err
	}
	return s.Store.Put(ctx, key, r)
}

func TestPreparation_reports_that_the_storage_was_used_up_meanwhile(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		step model.PreparationStep
		work fileWork
	}{
		{model.StepPoster, preparationWork}, {model.StepView, viewWork}, {model.StepCollision, collisionWork},
	} {
		t.Run(string(test.step), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			file := w.addFile(t, "scan.ply", "sss")
			w.storeFacts(t, file)
			full := *w.user
			full.Quota = 3
			store := filling{w.store, func() error { return w.db.Accounts().UpdateUser(t.Context(), &full) }}
			worker := w.idle(t, withScript("good"), func(o *Options) { o.Store = store })
			err := worker.runFileJob(t.Context(), &rivertype.JobRow{ID: 1, Attempt: 1}, fileArgsOf(file), test.work)
			if err != nil {
				t.Errorf("work: got %v, want nil", err)
			}
			if state, message := stateOf(w.file(t, file), test.step); state != model.StepFailed || message != model.QuotaExceeded {
				t.Errorf("step: got %q with %q, want %q with %q", state, message, model.StepFailed, model.QuotaExceeded)
			}
			w.awaitObjects(t, map[string]int64{file.StorageKey(): 3})
		})
	}
}
