package graph_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"portico/model"
	"portico/storage"
)

func TestCompleteUpload(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, test := range []struct {
		name  string
		who   account
		query string
	}{
		{"bare", w.alice, ""},
		{"with its query", w.bob, "?signature=x"},
	} {
		t.Run("confirms an address "+test.name, func(t *testing.T) {
			t.Parallel()
			address := w.upload(test.who, "model.glb", 10)
			confirmation, err := w.complete(test.who, address+test.query)
			check(t, err)
			if confirmation.File == nil || confirmation.Job != nil {
				t.Fatalf("got %v, want a file and no job", confirmation)
			}
			file := confirmation.File
			url := w.FileURL(file)
			equal(t, "url", url, address)
			equal(t, "resource key", file.StorageKey(), strings.TrimPrefix(address, "https://portico.example/files/"))
			equal(t, "size", file.Size, 10)
			equal(t, "name", file.Name, "model.glb")
			equal(t, "storage", w.storage(test.who), model.Storage{Used: 10, Quota: testQuota})
		})
	}
}

func TestCompleteUpload_refuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	unsent := w.reserved(w.alice, "unsent.glb", 10)
	short := w.reserved(w.alice, "short.glb", 10)
	w.send(short, 9)
	sent := w.upload(w.alice, "sent.glb", 10)
	const files = "https://portico.example/files/"
	for _, test := range []struct {
		name            string
		who             account
		status, address string
		code            model.Code
		message         string
	}{
		{"no status", w.alice, "", sent, model.CodeInvalid, "status is required"},
		{"no address", w.alice, "success", "", model.CodeInvalid, "extra_info.file_url is required"},
		{"a NUL", w.alice, "success", files + "\x00", model.CodeInvalid, "extra_info.file_url must not contain a NUL character"},
		{"bytes that were not sent", w.alice, "success", unsent, model.CodeNotFound, "Uploaded file not found"},
		{"other bytes than reserved", w.alice, "success", short, model.CodeNotFound, "Uploaded file not found"},
		{"another user's", w.bob, "success", sent, model.CodeNotFound, "Uploaded file not found"},
		{"another user's discard", w.bob, "failed", sent, model.CodeNotFound, "Uploaded file not found"},
		{"another server", w.alice, "success", strings.Replace(sent, "portico.example", "evil.example", 1), model.CodeNotFound, "Uploaded file not found"},
		{"no address of a file", w.alice, "success", "https://portico.example/", model.CodeNotFound, "Uploaded file not found"},
		{"no address at all", w.alice, "success", "::", model.CodeNotFound, "Uploaded file not found"},
		{"an unknown key", w.alice, "success", files + w.alice.id + "/api_uploads/unknown.glb", model.CodeNotFound, "Uploaded file not found"},
		{"an encoded slash", w.alice, "success", strings.Replace(sent, "/api_uploads/", "/api_uploads%2F", 1), model.CodeNotFound, "Uploaded file not found"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := w.Mutation().CompleteUpload(test.who.ctx, model.CompleteUpload{Status: test.status, FileURL: test.address})
			checkError(t, err, test.code, test.message)
		})
	}
}

// TestCompleteUpload_chooses checks the boundary between a file and a job.
func TestCompleteUpload_chooses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, test := range []struct {
		name string
		size int64
		want model.JobType // "" for a file at once
	}{
		{"small.glb", 1, ""},
		{"at-the-threshold.glb", testThreshold, ""},
		{"over-the-threshold.glb", testThreshold + 1, model.JobFile},
		{"small.zip", 1, model.JobZip},
		{"small.ZIP", 1, model.JobZip},
		{"large.zip", testThreshold + 1, model.JobZip},
		{"zip.glb", 1, ""},
		{"small.HTML", 1, model.JobFile},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			confirmation, err := w.complete(w.alice, w.upload(w.alice, test.name, test.size))
			check(t, err)
			if test.want == "" {
				if confirmation.File == nil || confirmation.Job != nil {
					t.Errorf("got %v, want a file", confirmation)
				}
				return
			}
			if confirmation.Job == nil || confirmation.File != nil {
				t.Fatalf("got %v, want a job", confirmation)
			}
			job := confirmation.Job
			equal(t, "type", job.Type, test.want)
			equal(t, "status", job.Status, model.JobQueued)
			equal(t, "progress", job.Progress, 0)
		})
	}
}

func TestCompleteUpload_again(t *testing.T) {
	t.Parallel()
	t.Run("answers with the same file", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		files, jobs := w.confirmAtOnce(w.upload(w.alice, "a.glb", 10))
		equal(t, "files of 20 confirmations", len(files), 1)
		equal(t, "jobs of 20 confirmations", len(jobs), 0)
		equal(t, "used", w.storage(w.alice).Used, 10)
	})
	t.Run("answers with the same job", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		files, jobs := w.confirmAtOnce(w.upload(w.alice, "a.zip", 10))
		equal(t, "files of 20 confirmations", len(files), 0)
		equal(t, "jobs of 20 confirmations", len(jobs), 1)
		list, err := w.Query().Jobs(w.alice.ctx)
		check(t, err)
		equal(t, "jobs in the list", len(list), 1)
	})
	t.Run("reserves late storage once", func(t *testing.T) {
		t.Parallel()
		for _, name := range []string{"a.glb", "a.zip"} {
			w := newWorld(t)
			w.exec("UPDATE users SET quota = 10 WHERE id = $1", w.alice.id)
			address := w.upload(w.alice, name, 10)
			w.expire()
			files, jobs := w.confirmAtOnce(address)
			equal(t, "responses to 20 late confirmations of "+name, len(files)+len(jobs), 1)
			equal(t, "storage", w.storage(w.alice), model.Storage{Used: 10, Quota: 10})
		}
	})
}

// confirmAtOnce confirms an upload 20 times at the same time, and returns the different files and
// jobs of the responses.
func (w *world) confirmAtOnce(address string) (files, jobs map[string]bool) {
	w.t.Helper()
	var mu sync.Mutex
	files, jobs = map[string]bool{}, map[string]bool{}
	for _, err := range atOnce(20, func() error {
		confirmation, err := w.complete(w.alice, address)
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		if confirmation.File != nil {
			files[confirmation.File.ResourceKey] = true
		}
		if confirmation.Job != nil {
			jobs[confirmation.Job.ID] = true
		}
		return nil
	}) {
		check(w.t, err)
	}
	return files, jobs
}

// expire sets the expiry of every upload to now.
func (w *world) expire() {
	w.t.Helper()
	w.exec("UPDATE uploads SET expires_at = now() - interval '1 minute'")
}

func TestCompleteUpload_late(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	address := w.upload(w.alice, "late.glb", 5000)
	w.expire()
	equal(t, "reserved after the expiry", w.storage(w.alice).Reserved, 0)
	other := w.reserved(w.alice, "other.glb", 5000)
	another := w.reserved(w.alice, "another.glb", 5000)
	_, err := w.complete(w.alice, address)
	checkError(t, err, model.CodeQuotaExceeded, "Storage quota exceeded")
	_, err = w.Mutation().CompleteUpload(w.alice.ctx, model.CompleteUpload{Status: "failed", FileURL: other})
	check(t, err)
	_, err = w.complete(w.alice, address) // there is room again
	check(t, err)
	equal(t, "storage", w.storage(w.alice), model.Storage{Used: 5000, Reserved: 5000, Quota: testQuota})
	w.send(another, 5000)
	_, err = w.complete(w.alice, another)
	check(t, err)
}

// REST and MCP do not show the job any more, so a client could not poll it.
func TestCompleteUpload_after_its_job_is_no_longer_shown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.options.Settings.JobTTL = time.Hour
	w.assemble()
	start := func(name string) (address string, job *model.Job) {
		address = w.upload(w.alice, name, 10)
		confirmation, err := w.complete(w.alice, address)
		check(t, err)
		return address, confirmation.Job
	}
	done, job := start("kept.zip")
	w.finish(job)
	failed, job := start("failed.zip")
	w.exec("UPDATE uploads SET state = 'failed' WHERE job_id = $1", job.ID)
	w.exec("UPDATE jobs SET status = 'failed', error = 'The archive is damaged', ended_at = now() WHERE id = $1", job.ID)
	for _, address := range []string{done, failed} {
		got, err := w.complete(w.alice, address)
		check(t, err)
		if got.Job == nil || got.File != nil {
			t.Errorf("while the job is shown: got %v, want the job", got)
		}
	}
	w.exec("UPDATE jobs SET ended_at = now() - interval '61 minutes'")
	got, err := w.complete(w.alice, done)
	check(t, err)
	if got.Job != nil || got.File == nil || got.File.Name != "kept.zip" {
		t.Errorf("afterwards: got %v, want the file", got)
	}
	_, err = w.complete(w.alice, failed)
	checkError(t, err, model.CodeNotFound, "Uploaded file not found: The archive is damaged")
}

func TestCompleteUpload_after_its_job_is_purged(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	address := w.upload(w.alice, "a.zip", 10)
	confirmation, err := w.complete(w.alice, address)
	check(t, err)
	equal(t, "used while the job works", w.storage(w.alice).Used, 10)
	w.finish(confirmation.Job)
	t.Run("answers with the file when the job is gone", func(t *testing.T) {
		w.exec("DELETE FROM jobs")
		got, err := w.complete(w.alice, address)
		check(t, err)
		if got.File == nil || got.Job != nil {
			t.Errorf("got %v, want the file", got)
		}
	})
	t.Run("does not find an upload whose failed job is gone", func(t *testing.T) {
		address := w.upload(w.alice, "b.zip", 10)
		confirmation, err := w.complete(w.alice, address)
		check(t, err)
		_, err = w.Mutation().CancelJob(w.alice.ctx, confirmation.Job.ID)
		check(t, err)
		w.exec("DELETE FROM jobs")
		_, err = w.complete(w.alice, address)
		checkError(t, err, model.CodeNotFound, "Uploaded file not found")
	})
}

// The store may take minutes to answer. If the upload expires meanwhile, another upload may reserve
// its storage.
func TestCompleteUpload_reserves_storage_that_expired_while_the_store_answered(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a.glb", "a.zip"} {
		w := newWorld(t)
		w.exec("UPDATE users SET quota = 10 WHERE id = $1", w.alice.id)
		address := w.upload(w.alice, name, 10)
		w.useStore(&overtaken{Store: w.store, other: func() {
			w.expire()
			w.reserved(w.alice, "other.glb", 10)
		}})
		_, err := w.complete(w.alice, address)
		checkError(t, err, model.CodeQuotaExceeded, model.QuotaExceeded)
		equal(t, "storage", w.storage(w.alice), model.Storage{Reserved: 10, Quota: 10})
	}
}

// The bytes of a discarded upload count as used until they are deleted.
func TestStorage_counts_objects_until_they_are_deleted(t *testing.T) {
	t.Parallel()
	discard := func(w *world, address string) {
		_, err := w.Mutation().CompleteUpload(w.alice.ctx, model.CompleteUpload{Status: "failed", FileURL: address})
		check(w.t, err)
	}
	deleteFile := func(w *world, address string) {
		confirmation, err := w.complete(w.alice, address)
		check(w.t, err)
		_, err = w.Mutation().DeleteFile(w.alice.ctx, confirmation.File.ResourceKey)
		check(w.t, err)
	}
	for name, end := range map[string]func(*world, string){"after a discard": discard, "after deleteFile": deleteFile} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			end(w, w.upload(w.alice, "a.ply", 500))
			equal(t, "used when the bytes are gone", w.storage(w.alice), model.Storage{Quota: testQuota})

			store := w.store
			w.useStore(away{store})
			end(w, w.upload(w.alice, "b.ply", 600))
			equal(t, "used while the store is away", w.storage(w.alice), model.Storage{Used: 600, Quota: testQuota})

			w.useStore(bucket{store}) // one that lets the bytes come again
			address := w.upload(w.alice, "c.ply", 700)
			end(w, address)
			equal(t, "used while the address works", w.storage(w.alice), model.Storage{Used: 1300, Quota: testQuota})
			w.exec("UPDATE users SET quota = 1500")
			_, err := w.Mutation().CreateUpload(w.alice.ctx, createUpload("d.ply", 201))
			checkError(t, err, model.CodeQuotaExceeded, "Storage quota exceeded")
		})
	}
}

// bucket is a store that does not check uploads.
type bucket struct{ storage.Store }

func (bucket) AcceptsLateUploads() bool { return true }
