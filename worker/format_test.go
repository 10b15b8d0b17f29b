package worker

import (
	"testing"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"portico/db"
	"portico/model"
)

// makeFormat asks for a file in another format, and makes it in one attempt.
func (w *world) makeFormat(t *testing.T, worker *Worker, file *model.File, format model.ConversionTarget) *model.FormatDownload {
	t.Helper()
	if _, err := w.db.Files().AskFormat(t.Context(), file, format); err != nil {
		t.Fatalf("ask for %s: %v", format, err)
	}
	args := formatArgs{fileArgs{db.FileJobArgs{ResourceKey: file.ResourceKey, Format: format}}}
	err := (&fileWorker[formatArgs]{w: worker, work: formatWork}).Work(t.Context(), &river.Job[formatArgs]{
		JobRow: &rivertype.JobRow{ID: 1, Kind: db.FormatKind, Attempt: 1}, Args: args,
	})
	if err != nil {
		t.Fatalf("make %s: got %v, want nil", format, err)
	}
	w.checkWorkedCleanly(t)
	found, err := w.db.Files().FormatDownload(t.Context(), file, format)
	if err != nil || found == nil {
		t.Fatalf("read %s: got %v, %v", format, found, err)
	}
	return found
}

func TestFormat_is_made_for_a_download(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	file := w.addFile(t, "A scan.ply", "sss")
	w.storeFacts(t, file)
	made := w.makeFormat(t, w.idle(t, withScript("good")), file, model.ConvertToSPZ)
	if made.State() != model.StepReady || !isDerived(file, made.Key, "format/*/A_scan.spz") || made.Bytes != int64(len("made of sss")) {
		t.Errorf("made: got %+v, want a file among the derived ones", made)
	}
	w.awaitObjects(t, map[string]int64{file.StorageKey(): 3, made.StorageKey(): made.Bytes})
	w.awaitUsed(t, 3) // it counts for nobody
	if again := w.makeFormat(t, w.idle(t, withScript("panic")), file, model.ConvertToSPZ); again.Key != made.Key {
		t.Errorf("again: got %s, want the same file", again.Key)
	}
}

func TestFormat_that_cannot_be_made_says_why(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	file := w.addFile(t, "scan.ply", "sss")
	w.storeFacts(t, file)
	made := w.makeFormat(t, w.idle(t, withScript("fault")), file, model.ConvertToSPZ)
	if made.State() != model.StepFailed || made.Failure == "" {
		t.Errorf("got %+v, want the reason", made)
	}
	w.awaitObjects(t, map[string]int64{file.StorageKey(): 3})
}
