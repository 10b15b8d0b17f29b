package graph_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"portico/db"
	"portico/model"
)

// claim starts the next attempt of the job, as a worker does.
func (w *world) claim(job *model.Job) *model.Job {
	w.t.Helper()
	claimed, err := w.db.Jobs().ClaimJob(w.t.Context(), job.ID)
	check(w.t, err)
	return claimed
}

// extracting returns a step of the extraction of some files.
func extracting(done, total int) model.JobStep {
	return model.JobStep{Name: model.JobExtractingZip, Done: int64(done), Total: int64(total)}
}

func (w *world) report(job *model.Job, progress float64, step model.JobStep) {
	w.t.Helper()
	current, err := w.db.Jobs().ReportJob(w.t.Context(), job.ID, job.Attempt, progress, step)
	check(w.t, err)
	equal(w.t, "current", current, true)
}

// finish completes the job, as a worker does, with the upload as its result.
func (w *world) finish(job *model.Job) {
	w.t.Helper()
	ctx := w.t.Context()
	claimed := w.claim(job)
	check(w.t, w.db.InTx(ctx, func(tx *db.DB) error {
		upload, err := tx.Uploads().Upload(ctx, job.UploadID)
		if err != nil {
			return err
		}
		if _, err := tx.Jobs().CompleteJob(ctx, job.ID, claimed.Attempt, upload.ResourceKey, "Completed"); err != nil {
			return err
		}
		if _, err := tx.Uploads().MoveUpload(ctx, upload.ID, model.UploadProcessing, model.UploadConfirmed); err != nil {
			return err
		}
		return tx.Files().AddFile(ctx, model.NewFile(upload))
	}))
}

func TestJob_shows_its_result_or_why_it_failed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.job(w.alice)
	fields := func(what, wantKey, wantURL, wantError string) {
		t.Helper()
		got, err := w.Query().Job(w.alice.ctx, job.ID)
		check(t, err)
		key, url, reason := got.Result(), w.JobURL(got), got.Failure()
		equal(t, what+": resource key", model.Deref(key), wantKey)
		equal(t, what+": url", model.Deref(url), wantURL)
		equal(t, what+": error", model.Deref(reason), wantError)
		if wantKey == "" && (key != nil || url != nil) || wantError == "" && reason != nil {
			t.Errorf("%s: got %v, %v, %v, want nil for what there is not", what, key, url, reason)
		}
	}
	fields("queued", "", "", "")
	w.finish(job)
	upload, err := w.db.Uploads().Upload(t.Context(), job.UploadID)
	check(t, err)
	fields("completed", upload.ResourceKey, "https://portico.example/files/"+w.alice.id+"/"+upload.ResourceKey, "")
	job = w.job(w.alice)
	_, err = w.Mutation().CancelJob(w.alice.ctx, job.ID)
	check(t, err)
	fields("canceled", "", "", "Canceled")
}

// Programs get the step of a job as data; the message is for people.
func TestJob_has_its_step_as_data(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.job(w.alice)
	checkStep := func(what, want string) {
		t.Helper()
		body, err := json.Marshal(map[string]string{"query": `{ job(id: "` + model.NodeID(model.NodeJob, job.ID) + `") { step { name done total unit } } }`})
		check(t, err)
		if _, got := w.ask(w.alice, string(body)); got != `{"data":{"job":{"step":`+want+`}}}` {
			t.Errorf("%s: got %s, want the step %s", what, got, want)
		}
	}
	checkStep("queued", "null")
	claimed := w.claim(job)
	checkStep("claimed", "null")
	w.report(claimed, 1, model.JobStep{Name: model.JobReadingZip})
	checkStep("without figures", `{"name":"READING_ZIP","done":0,"total":0,"unit":null}`)
	w.report(claimed, 10, extracting(12, 40))
	checkStep("with files", `{"name":"EXTRACTING_ZIP","done":12,"total":40,"unit":"FILES"}`)
	w.report(claimed, 20, model.JobStep{Name: model.JobReadingFile, Done: 1 << 40, Total: 1 << 41})
	checkStep("with bytes", `{"name":"READING_FILE","done":1099511627776,"total":2199023255552,"unit":"BYTES"}`)
	for _, name := range model.JobStepNames() {
		w.report(claimed, 30, model.JobStep{Name: name})
		constant := strings.ToUpper(strings.ReplaceAll(string(name), "-", "_"))
		checkStep(string(name), `{"name":"`+constant+`","done":0,"total":0,"unit":null}`)
	}
	w.report(claimed, 40, model.JobStep{Name: model.JobConverting, Done: 41, Total: 100, Detail: "Sorting the capture"})
	checkStep("with a percentage", `{"name":"CONVERTING","done":41,"total":100,"unit":"PERCENT"}`)
	w.finish(job)
	checkStep("completed", "null")
}

func TestJobs_lists_the_jobs_of_the_caller_newest_first(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	none, err := w.Query().Jobs(w.alice.ctx)
	check(t, err)
	if none == nil || len(none) != 0 {
		t.Errorf("jobs of a new account: got %v, want an empty list", none)
	}
	first, second := w.job(w.alice), w.job(w.alice)
	w.job(w.bob)
	jobs, err := w.Query().Jobs(w.alice.ctx)
	check(t, err)
	if len(jobs) != 2 || jobs[0].ID != second.ID || jobs[1].ID != first.ID {
		t.Errorf("jobs: got %v, want alice's, newest first", jobs)
	}
}

func TestCancelJob(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, test := range []struct {
		name    string
		prepare func(*model.Job)
		code    model.Code
		free    int64 // bytes, at once
	}{
		{"cancels a queued job", func(*model.Job) {}, "", 10},
		// Its worker removes the bytes when it notices.
		{"cancels a job at work", func(job *model.Job) { w.claim(job) }, "", 0},
		{"refuses a completed job", w.finish, model.CodeInvalid, 0},
		{"refuses a canceled job", func(job *model.Job) {
			_, err := w.Mutation().CancelJob(w.alice.ctx, job.ID)
			check(t, err)
		}, model.CodeInvalid, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			job := w.job(w.alice)
			test.prepare(job)
			before := w.storage(w.alice).Used
			got, err := w.Mutation().CancelJob(w.alice.ctx, job.ID)
			checkError(t, err, test.code, "")
			if test.code != "" {
				return
			}
			equal(t, "status", got.Status, model.JobFailed)
			equal(t, "error", got.Error, "Canceled")
			equal(t, "storage that is free again", before-w.storage(w.alice).Used, test.free)
		})
	}
}

// REST, MCP and subscriptions show a job until JobTTL after its end. GraphQL shows it longer.
func TestJob_stays_in_the_history(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.options.Settings.JobTTL = time.Hour
	w.assemble()
	recent, old, running := w.job(w.alice), w.job(w.alice), w.job(w.alice)
	w.exec("UPDATE jobs SET status = 'failed', error = 'x', ended_at = now() - interval '59 minutes' WHERE id = $1", recent.ID)
	w.exec("UPDATE jobs SET status = 'failed', error = 'x', ended_at = now() - interval '61 minutes' WHERE id = $1", old.ID)
	jobs, err := w.Query().Jobs(w.alice.ctx)
	check(t, err)
	if len(jobs) != 2 || jobs[0].ID == old.ID || jobs[1].ID == old.ID {
		t.Errorf("jobs of REST: got %d, want the two that run or ended within the hour", len(jobs))
	}
	for id, want := range map[string]model.Code{recent.ID: "", running.ID: "", old.ID: model.CodeNotFound} {
		if _, err := w.Query().Job(w.alice.ctx, id); model.CodeOf(err) != want {
			t.Errorf("job of REST: got %v, want code %q", err, want)
		}
	}
	id := model.NodeID(model.NodeJob, old.ID)
	body, err := json.Marshal(map[string]string{"query": `{ job(id: "` + id + `") { status } jobs(filter: {status: [FAILED]}, first: 1) { totalCount pageInfo { hasNextPage } } }`})
	check(t, err)
	want := `{"data":{"job":{"status":"FAILED"},"jobs":{"totalCount":2,"pageInfo":{"hasNextPage":true}}}}`
	if _, got := w.ask(w.alice, string(body)); got != want {
		t.Errorf("history: got %s, want %s", got, want)
	}
}
