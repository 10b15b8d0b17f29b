package graph_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"portico/db"
	"portico/model"
)

// uploadStates are the states in which an act can find an upload: the name of its file, which
// decides whether it needs a job, and the acts that lead to the state from a new upload.
var uploadStates = map[string]struct {
	file string
	acts []string
}{
	"new":                {"a.glb", nil},
	"sent":               {"a.glb", []string{"send"}},
	"sent archive":       {"a.zip", []string{"send"}},
	"processing":         {"a.zip", []string{"send", "confirm"}},
	"confirmed":          {"a.glb", []string{"send", "confirm"}},
	"confirmed by a job": {"a.zip", []string{"send", "confirm", "complete the job"}},
	"failed":             {"a.zip", []string{"send", "confirm", "cancel the job"}},
	"discarded":          {"a.glb", []string{"send", "discard"}},
	"expired":            {"a.glb", []string{"send", "expire"}},
	"deleted":            {"a.glb", []string{"send", "confirm", "delete the file"}},
	"purged":             {"a.glb", []string{"send", "discard", "purge"}},
}

const (
	done       = "done"
	noChange   = "no change"
	noUpload   = model.UploadNotFound
	noJob      = model.JobNotFound
	noFile     = model.FileNotFound
	jobEnded   = "The job has already ended"
	isSettled  = "409"
	isAccepted = "200"
	isLate     = "status must be success: the upload was confirmed already"
)

// uploadArrows has a row for each state and act: the result, and the state of the row afterwards.
var uploadArrows = []struct {
	state, act, result string
	after              model.UploadState
}{
	{"new", "send", isAccepted, model.UploadPending},
	{"new", "confirm", noUpload, model.UploadPending},
	{"new", "discard", done, model.UploadDiscarded},
	{"new", "expire", done, model.UploadDiscarded},
	{"new", "complete the job", noChange, model.UploadPending},
	{"new", "cancel the job", noJob, model.UploadPending},
	{"new", "delete the file", noFile, model.UploadPending},
	{"new", "purge", noChange, model.UploadPending},

	{"sent", "send", isAccepted, model.UploadPending}, // the same bytes again
	{"sent", "confirm", "a file", model.UploadConfirmed},
	{"sent", "discard", done, model.UploadDiscarded},
	{"sent", "expire", done, model.UploadDiscarded},
	{"sent", "complete the job", noChange, model.UploadPending},
	{"sent", "cancel the job", noJob, model.UploadPending},
	{"sent", "delete the file", noFile, model.UploadPending},
	{"sent", "purge", noChange, model.UploadPending},

	{"sent archive", "send", isAccepted, model.UploadPending},
	{"sent archive", "confirm", "a job that is queued", model.UploadProcessing},
	{"sent archive", "discard", done, model.UploadDiscarded},
	{"sent archive", "expire", done, model.UploadDiscarded},
	{"sent archive", "complete the job", noChange, model.UploadPending},
	{"sent archive", "cancel the job", noJob, model.UploadPending},
	{"sent archive", "delete the file", noFile, model.UploadPending},
	{"sent archive", "purge", noChange, model.UploadPending},

	{"processing", "send", isSettled, model.UploadProcessing},
	{"processing", "confirm", "a job that is queued", model.UploadProcessing},
	{"processing", "discard", isLate, model.UploadProcessing},
	{"processing", "expire", noChange, model.UploadProcessing},
	{"processing", "complete the job", done, model.UploadConfirmed},
	{"processing", "cancel the job", done, model.UploadFailed},
	{"processing", "delete the file", noFile, model.UploadProcessing},
	{"processing", "purge", noChange, model.UploadProcessing},

	{"confirmed", "send", isSettled, model.UploadConfirmed},
	{"confirmed", "confirm", "a file", model.UploadConfirmed},
	{"confirmed", "discard", isLate, model.UploadConfirmed},
	{"confirmed", "expire", noChange, model.UploadConfirmed},
	{"confirmed", "complete the job", noChange, model.UploadConfirmed},
	{"confirmed", "cancel the job", noJob, model.UploadConfirmed},
	{"confirmed", "delete the file", done, model.UploadDiscarded},
	{"confirmed", "purge", noChange, model.UploadConfirmed},

	{"confirmed by a job", "send", isSettled, model.UploadConfirmed},
	{"confirmed by a job", "confirm", "a job that is completed", model.UploadConfirmed},
	{"confirmed by a job", "discard", isLate, model.UploadConfirmed},
	{"confirmed by a job", "expire", noChange, model.UploadConfirmed},
	{"confirmed by a job", "complete the job", noChange, model.UploadConfirmed},
	{"confirmed by a job", "cancel the job", jobEnded, model.UploadConfirmed},
	{"confirmed by a job", "delete the file", done, model.UploadDiscarded},
	{"confirmed by a job", "purge", noChange, model.UploadConfirmed},

	{"failed", "send", isSettled, model.UploadFailed},
	{"failed", "confirm", "a job that is failed", model.UploadFailed},
	{"failed", "discard", done, model.UploadFailed},
	{"failed", "expire", noChange, model.UploadFailed},
	{"failed", "complete the job", noChange, model.UploadFailed},
	{"failed", "cancel the job", jobEnded, model.UploadFailed},
	{"failed", "delete the file", noFile, model.UploadFailed},
	{"failed", "purge", done, ""},

	{"discarded", "send", isSettled, model.UploadDiscarded},
	{"discarded", "confirm", noUpload, model.UploadDiscarded},
	{"discarded", "discard", done, model.UploadDiscarded},
	{"discarded", "expire", noChange, model.UploadDiscarded},
	{"discarded", "complete the job", noChange, model.UploadDiscarded},
	{"discarded", "cancel the job", noJob, model.UploadDiscarded},
	{"discarded", "delete the file", noFile, model.UploadDiscarded},
	{"discarded", "purge", done, ""},

	{"expired", "send", isSettled, model.UploadDiscarded},
	{"expired", "confirm", noUpload, model.UploadDiscarded},
	{"expired", "discard", done, model.UploadDiscarded},
	{"expired", "expire", noChange, model.UploadDiscarded},
	{"expired", "complete the job", noChange, model.UploadDiscarded},
	{"expired", "cancel the job", noJob, model.UploadDiscarded},
	{"expired", "delete the file", noFile, model.UploadDiscarded},
	{"expired", "purge", done, ""},

	{"deleted", "send", isSettled, model.UploadDiscarded},
	{"deleted", "confirm", noUpload, model.UploadDiscarded},
	{"deleted", "discard", done, model.UploadDiscarded},
	{"deleted", "expire", noChange, model.UploadDiscarded},
	{"deleted", "complete the job", noChange, model.UploadDiscarded},
	{"deleted", "cancel the job", noJob, model.UploadDiscarded},
	{"deleted", "delete the file", noFile, model.UploadDiscarded},
	{"deleted", "purge", done, ""},

	{"purged", "send", isSettled, ""},
	{"purged", "confirm", noUpload, ""},
	{"purged", "discard", noUpload, ""},
	{"purged", "expire", noChange, ""},
	{"purged", "complete the job", noChange, ""},
	{"purged", "cancel the job", noJob, ""},
	{"purged", "delete the file", noFile, ""},
	{"purged", "purge", noChange, ""},
}

type trackedUpload struct {
	*world
	upload *model.Upload // as it was created
	params *model.UploadParams
}

func (w *world) track(fileName string) trackedUpload {
	w.t.Helper()
	params, err := w.Mutation().CreateUpload(w.alice.ctx, createUpload(fileName, 10))
	check(w.t, err)
	upload, err := w.Access().OwnedUpload(w.alice.ctx, model.CompleteUpload{Status: model.StatusSuccess, FileURL: params.URL})
	check(w.t, err)
	return trackedUpload{w, upload, params}
}

// current returns the row of the upload; the row as it was created if it was purged.
func (u trackedUpload) current() (upload *model.Upload, state model.UploadState) {
	u.t.Helper()
	upload, err := u.db.Uploads().Upload(u.t.Context(), u.upload.ID)
	if model.CodeOf(err) == model.CodeNotFound {
		return u.upload, ""
	}
	check(u.t, err)
	return upload, upload.State
}

// uploadActs are what can happen to an upload. Each returns the result.
var uploadActs = map[string]func(trackedUpload) string{
	"send":    trackedUpload.send,
	"confirm": func(u trackedUpload) string { return u.completeUpload(model.StatusSuccess) },
	"discard": func(u trackedUpload) string { return u.completeUpload("failed") },
	"expire": func(u trackedUpload) string {
		return u.ofPurge(u.db.Uploads().DiscardExpired)
	},
	"complete the job": trackedUpload.completeJob,
	"cancel the job": func(u trackedUpload) string {
		upload, _ := u.current()
		_, err := u.Mutation().CancelJob(u.alice.ctx, upload.JobID)
		return resultOf(err, done)
	},
	"delete the file": func(u trackedUpload) string {
		_, err := u.Mutation().DeleteFile(u.alice.ctx, u.upload.ResourceKey)
		return resultOf(err, done)
	},
	"purge": func(u trackedUpload) string {
		_, err := u.db.Jobs().PurgeJobs(u.t.Context(), time.Now().Add(time.Minute), 1000)
		check(u.t, err)
		return u.ofPurge(u.db.Uploads().PurgeUploads)
	},
}

// resultOf returns success, or the text of the error.
func resultOf(err error, success string) string {
	if err != nil {
		return model.AsError(err).Message
	}
	return success
}

// send sends the bytes to the presigned URL, and returns the status.
func (u trackedUpload) send() string {
	request := httptest.NewRequest(u.params.Method, u.params.URL, strings.NewReader(strings.Repeat("x", 10)))
	for _, header := range u.params.Headers {
		request.Header.Set(header.Name, header.Value)
	}
	response := httptest.NewRecorder()
	u.store.(http.Handler).ServeHTTP(response, request)
	return strconv.Itoa(response.Code)
}

func (u trackedUpload) completeUpload(status string) string {
	got, err := u.Mutation().CompleteUpload(u.alice.ctx, model.CompleteUpload{Status: status, FileURL: u.params.URL})
	switch {
	case err != nil || got == nil:
		return resultOf(err, done)
	case got.Job != nil:
		upload, _ := u.current()
		equal(u.t, "job of the result", got.Job.ID, upload.JobID)
		return "a job that is " + string(got.Job.Status)
	}
	return "a file"
}

// completeJob stores the file and completes the job of the upload, as a worker does.
func (u trackedUpload) completeJob() string {
	ctx, stored := u.t.Context(), false
	check(u.t, u.db.InTx(ctx, func(tx *db.DB) error {
		upload, _ := u.current()
		job, err := tx.Jobs().ClaimJob(ctx, upload.JobID)
		if err != nil {
			return err
		}
		completed := false
		if job != nil {
			if completed, err = tx.Jobs().CompleteJob(ctx, job.ID, job.Attempt, upload.ResourceKey, "Completed"); err != nil {
				return err
			}
		}
		stored, err = tx.Files().StoreFile(ctx, model.NewFile(upload), model.UploadProcessing)
		equal(u.t, "job completed", completed, stored)
		return err
	}))
	if stored {
		return done
	}
	return noChange
}

// ofPurge calls a step of the purge for a time after the expiry of every upload.
func (u trackedUpload) ofPurge(step func(context.Context, time.Time, int) (int, error)) string {
	_, before := u.current()
	_, err := step(u.t.Context(), time.Now().Add(48*time.Hour), 1000)
	check(u.t, err)
	if _, after := u.current(); after != before {
		return done
	}
	return noChange
}

// The rows share a database and run in sequence, because the purge is about all uploads.
func TestUpload_in_each_state_after_each_act(t *testing.T) {
	t.Parallel()
	w, rows := newWorld(t), map[string]bool{}
	for _, arrow := range uploadArrows {
		name := arrow.state + ": " + arrow.act
		rows[name] = true
		t.Run(name, func(t *testing.T) {
			state := uploadStates[arrow.state]
			upload := w.track(state.file)
			for _, act := range state.acts {
				if got := uploadActs[act](upload); got != done && got != isAccepted && !strings.HasPrefix(got, "a ") {
					t.Fatalf("%s: got %q, want it to succeed, as the state requires", act, got)
				}
			}
			equal(t, "result", uploadActs[arrow.act](upload), arrow.result)
			_, after := upload.current()
			equal(t, "state afterwards", after, arrow.after)
		})
	}
	for state := range uploadStates {
		for act := range uploadActs {
			if name := state + ": " + act; !rows[name] {
				t.Errorf("%s: got no row, want one", name)
			}
		}
	}
}
