package worker

import (
	"bytes"
	"testing"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"portico/db"
	"portico/model"
	"portico/splat/splattest"
)

// as returns the world with another user as its account.
func (w *world) as(t testing.TB, email string) *world {
	t.Helper()
	other := *w
	var err error
	other.user, err = w.db.Accounts().CreateUser(t.Context(), model.CreateUser{Email: email, Name: "Ben", Plan: model.PlanFree, Quota: quota})
	if err != nil {
		t.Fatalf("create user: %v", err)
	}
	return &other
}

func TestJobs_take_turns(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ben := w.as(t, "ben@example.org")
	store := stallAfter(w.store, 2)
	waits := make(chan Attempt, 10)
	first := w.submitCapture(t, capture)
	w.start(t, func(o *Options) {
		o.Store, o.Jobs = store, 1
		o.Observe = func(a Attempt) { waits <- a }
	})
	<-store.stalled
	anns := []*model.Job{first}
	for range 4 {
		anns = append(anns, w.submitCapture(t, capture))
	}
	job := ben.submitCapture(t, capture)
	close(store.released)
	ben.awaitCompleted(t, job.ID)
	for _, ann := range anns {
		w.awaitCompleted(t, ann.ID)
	}
	started := w.job(t, job.ID).StartedAt
	for _, ann := range anns[1:] {
		if got := w.job(t, ann.ID).StartedAt; !got.After(started.Time) {
			t.Errorf("ann's job: started at %v, want it after ben's, which started at %v", got, started)
		}
	}
	// The measured wait belongs to the job that ran, not to the job in the row that it took over:
	// ben's job came last.
	<-waits
	if got, limit := (<-waits).Waited, time.Since(job.CreatedAt.Time); got > limit {
		t.Errorf("measured wait: got %v, want at most %v", got, limit)
	}
}

// A process was paused between the moment when River gave it a row and the claim of the job.
// Meanwhile the row was lost, and another process works on the job in a new row. The paused process
// must leave the job to it: the new row would end, and nobody would notice if the paused process
// died.
func TestJobWorker_claims_no_job_of_a_lost_row(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.submitCapture(t, capture)
	w.claim(t, job) // by the other process
	const lost = 1 << 40
	err := (&jobWorker{w: w.idle(t)}).Work(t.Context(), &river.Job[jobArgs]{
		JobRow: &rivertype.JobRow{ID: lost}, Args: jobArgs{db.JobArgs{JobID: job.ID}},
	})
	if got := w.job(t, job.ID); err != nil || got.Attempt != 1 || got.Status != model.JobProcessing {
		t.Errorf("job: got %s at attempt %d and %v, want it processing at the first", got.Status, got.Attempt, err)
	}
}

// BenchmarkWait measures how long a tiny archive of one user waits behind 30 archives of another
// user, with two workers. With a first come, first served queue it would wait for all 30.
func BenchmarkWait(b *testing.B) {
	for _, bench := range []struct {
		name  string
		bytes int64
	}{
		{"behind 30 of 8 MB", 2_000_000},
		{"behind 30 of 20 MB", 5_000_000},
	} {
		b.Run(bench.name, func(b *testing.B) {
			var body bytes.Buffer
			if _, err := (splattest.Capture{Folder: "export", Tiles: 4, TileBytes: bench.bytes}).WriteTo(&body); err != nil {
				b.Fatal(err)
			}
			var waited, all time.Duration
			for b.Loop() {
				one, both := waitBehind(b, body.Bytes())
				waited, all = waited+one, all+both
			}
			b.ReportMetric(float64(waited.Milliseconds())/float64(b.N), "tiny-ms/op")
			b.ReportMetric(float64(all.Milliseconds())/float64(b.N), "all-ms/op")
		})
	}
}

// waitBehind returns how long a tiny archive takes behind 30 archives of another user, and how
// long the 30 archives take.
func waitBehind(b *testing.B, body []byte) (tiny, all time.Duration) {
	b.Helper()
	b.StopTimer()
	w := newWorld(b)
	ben := w.as(b, "ben@example.org")
	jobs := make([]*model.Job, 30)
	for i := range jobs {
		jobs[i] = w.submit(b, "scan.zip", bytes.NewReader(body))
	}
	b.StartTimer()
	began := time.Now()
	w.start(b)
	w.await(b, jobs[0].ID, "started", func(job *model.Job) bool { return job.Status != model.JobQueued })
	sent := time.Now()
	ben.awaitCompleted(b, ben.submitZip(b, splattest.Entry{Name: "a.txt", Body: []byte("a")}).ID)
	tiny = time.Since(sent)
	for _, job := range jobs {
		w.awaitCompleted(b, job.ID)
	}
	return tiny, time.Since(began)
}
