package db

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/model"
)

// queue is a queue of jobs whose rows of River a test hands out by itself.
type queue struct {
	testing.TB

	db *DB
}

// add enqueues a job of this many bytes that was created this long ago, and returns its id.
func (q queue) add(user *model.User, bytes int64, ago time.Duration) string {
	q.Helper()
	ctx := q.Context()
	upload := addUpload(q, q.db, user, bytes, time.Hour)
	job := model.NewJob(upload)
	_, err := q.db.Uploads().StartUpload(ctx, upload.ID, job.ID)
	check(q, err)
	check(q, q.db.Jobs().AddJob(ctx, job))
	check(q, q.db.Queue().Enqueue(ctx, job.ID, "request of "+job.ID))
	q.exec("UPDATE jobs SET created_at = now() - ?::interval WHERE id = ?", ago.String(), job.ID)
	q.exec("UPDATE river_job SET scheduled_at = now() - ?::interval, created_at = now() - ?::interval WHERE args ->> 'job_id' = ?",
		ago.String(), ago.String(), job.ID)
	return job.ID
}

func (q queue) exec(query string, args ...any) {
	q.Helper()
	_, err := q.db.idb.ExecContext(q.Context(), query, args...)
	check(q, err)
}

// fetch hands out the oldest row, as River does; 0 where none is left.
func (q queue) fetch(name string) (riverRow int64) {
	q.Helper()
	var ids []int64
	check(q, q.db.idb.NewRaw(`
		UPDATE river_job SET state = 'running', attempted_at = now() WHERE id = (
			SELECT id FROM river_job WHERE state = 'available' AND queue = ? AND scheduled_at <= now()
			ORDER BY scheduled_at, id LIMIT 1 FOR UPDATE SKIP LOCKED)
		RETURNING id`, name).Scan(q.Context(), &ids))
	if len(ids) == 0 {
		return 0
	}
	return ids[0]
}

// turn returns the id of the job that must run next; "" for none.
func (q queue) turn(ctx context.Context, riverRow int64) string {
	q.Helper()
	turn, err := q.db.Queue().TakeTurn(ctx, riverRow)
	check(q, err)
	if turn == nil {
		return ""
	}
	var args struct {
		JobID     string `json:"job_id"`
		RequestID string `json:"request_id"`
	}
	check(q, json.Unmarshal(turn.Args, &args))
	if got, want := args.RequestID, "request of "+args.JobID; got != want {
		q.Errorf("request: got %q, want %q", got, want)
	}
	return args.JobID
}

// start fetches a row and claims the job that must run next.
func (q queue) start(name string) (riverRow int64, jobID string) {
	q.Helper()
	riverRow = q.fetch(name)
	jobID = q.turn(q.Context(), riverRow)
	claim(q, q.db, jobID)
	return riverRow, jobID
}

func (q queue) end(riverRow int64, jobID string) {
	q.Helper()
	_, err := q.db.Jobs().CompleteJob(q.Context(), jobID, readJob(q, q.db, jobID).Attempt, "key", "Completed")
	check(q, err)
	q.exec("UPDATE river_job SET state = 'completed', finalized_at = now() WHERE id = ?", riverRow)
}

// checkRiverRows checks that each job that has not ended has one row of River.
func (q queue) checkRiverRows() {
	q.Helper()
	if got := number(q, q.db, `
		SELECT count(*) FROM jobs AS j WHERE status IN ('queued', 'processing') AND 1 <> (
			SELECT count(*) FROM river_job AS r WHERE r.args ->> 'job_id' = j.id AND r.finalized_at IS NULL)`); got != 0 {
		q.Errorf("jobs without exactly one row of River: got %d, want none", got)
	}
}

const large = maxSmallJob + 1

func TestTakeTurn_lets_users_take_turns(t *testing.T) {
	t.Parallel()
	q := queue{t, testDB(t)}
	names := map[string]string{}
	ann, ben, cat := addUser(t, q.db), addUser(t, q.db), addUser(t, q.db)
	for i := range 30 {
		names[q.add(ann, large, time.Minute)] = fmt.Sprint("ann", i)
	}
	riverRow, first := q.start(JobQueue)
	names[q.add(ben, large, 0)], names[q.add(ben, large, 0)] = "ben", "ben"
	names[q.add(cat, large, 0)] = "cat"
	order := []string{names[first]}
	for range 6 {
		q.end(riverRow, first)
		riverRow, first = q.start(JobQueue)
		order = append(order, names[first])
		q.checkRiverRows()
	}
	if got, want := strings.Join(order, " "), "ann0 ben cat ann1 ben ann2 ann3"; got != want {
		t.Errorf("order: got %s, want %s", got, want)
	}
}

// A user with running jobs waits for a user without any, even if the other's last turn was
// later.
func TestTakeTurn_shares_the_workers(t *testing.T) {
	t.Parallel()
	q := queue{t, testDB(t)}
	ann, ben := addUser(t, q.db), addUser(t, q.db)
	for range 3 {
		q.add(ann, large, time.Minute)
	}
	_, _ = q.start(JobQueue) // a long one
	bens := []string{q.add(ben, large, 0), q.add(ben, large, 0)}
	for i := range bens {
		riverRow, job := q.start(JobQueue)
		if !slices.Contains(bens, job) {
			t.Errorf("turn %d beside ann's job: got one of ann's, want one of ben's", i)
		}
		q.end(riverRow, job)
	}
}

func TestTakeTurn_takes_small_jobs_of_a_user_first(t *testing.T) {
	t.Parallel()
	q := queue{t, testDB(t)}
	ann := addUser(t, q.db)
	want := []string{}
	for _, job := range []struct {
		bytes int64
		ago   time.Duration
	}{{large + 20, 12 * time.Minute}, {large + 10, 11 * time.Minute}, {large, time.Second}, {large + 1, time.Minute}} {
		want = append(want, q.add(ann, job.bytes, job.ago))
	}
	for i, want := range want {
		riverRow, got := q.start(JobQueue)
		if got != want {
			t.Errorf("turn %d: got %s, want %s", i, got, want)
		}
		q.end(riverRow, got)
	}
}

// A stream of new users does not starve the others.
func TestTakeTurn_forgets_nobody(t *testing.T) {
	t.Parallel()
	q := queue{t, testDB(t)}
	ann := addUser(t, q.db)
	first := q.add(ann, large, 2*time.Hour)
	riverRow, job := q.start(JobQueue)
	q.end(riverRow, job)
	q.exec("UPDATE jobs SET started_at = now() - interval '90 minutes' WHERE id = ?", first)
	want := q.add(ann, large, 80*time.Minute)
	for range 3 {
		q.add(addUser(t, q.db), large, time.Minute)
	}
	if _, got := q.start(JobQueue); got != want {
		t.Errorf("turn: got %s, want %s, which waits for longest", got, want)
	}
}

func TestTakeTurn_passes_over_what_cannot_run(t *testing.T) {
	t.Parallel()
	q := queue{t, testDB(t)}
	ann := addUser(t, q.db)
	canceled := q.add(ann, large, 3*time.Minute)
	later := q.add(ann, large, 2*time.Minute)
	other := q.add(ann, 1, time.Minute)
	want := q.add(ann, large+1, 0)
	q.exec("UPDATE jobs SET status = 'failed', ended_at = now() WHERE id = ?", canceled)
	q.exec("UPDATE river_job SET scheduled_at = now() + interval '1 hour' WHERE args ->> 'job_id' = ?", later)
	riverRow, got := q.start(JobQueue)
	if got != want {
		t.Errorf("turn: got %s, want %s", got, want)
	}
	q.end(riverRow, got)
	// What is left is the row of the canceled job.
	if riverRow := q.fetch(JobQueue); riverRow == 0 || q.turn(t.Context(), riverRow) != canceled {
		t.Errorf("turn: got another job, want the canceled one, which cannot be claimed")
	}
	if _, got := q.start(SmallJobQueue); got != other {
		t.Errorf("turn of small jobs: got %s, want %s", got, other)
	}
	if got := q.turn(t.Context(), riverRow); got != "" {
		t.Errorf("turn of a row that has ended: got %s, want none", got)
	}
}

// A worker that dies loses the job that it was given, not the job that it received.
func TestTakeTurn_outlives_the_worker(t *testing.T) {
	t.Parallel()
	q := queue{t, testDB(t)}
	ann, ben := addUser(t, q.db), addUser(t, q.db)
	for range 3 {
		q.add(ann, large, time.Minute)
	}
	riverRow, job := q.start(JobQueue)
	q.end(riverRow, job)
	want := q.add(ben, large, 0)
	riverRow = q.fetch(JobQueue)
	if got := q.turn(t.Context(), riverRow); got != want {
		t.Fatalf("turn: got %s, want ben's %s", got, want)
	}
	q.exec("UPDATE river_job SET attempted_at = now() - interval '1 hour' WHERE id = ?", riverRow)
	if n, err := q.db.Queue().RescueJobs(t.Context(), time.Minute); n != 1 || err != nil {
		t.Fatalf("rescue: got %d, %v, want 1", n, err)
	}
	q.checkRiverRows()
	if got := q.turn(t.Context(), riverRow); got != "" {
		t.Errorf("turn of a lost row: got %s, want none", got)
	}
	if _, got := q.start(JobQueue); got != want {
		t.Errorf("turn after the rescue: got %s, want ben's %s", got, want)
	}
}

// Workers that take turns at once never get the same job.
func TestTakeTurn_by_concurrent_workers(t *testing.T) {
	t.Parallel()
	q := queue{t, testDB(t)}
	const users, jobs, workers = 3, 8, 6
	for range users {
		user := addUser(t, q.db)
		for range jobs {
			q.add(user, large, time.Minute)
		}
	}
	var mu sync.Mutex
	taken := map[string]int{}
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for riverRow := q.fetch(JobQueue); riverRow != 0; riverRow = q.fetch(JobQueue) {
				turn, err := q.db.Queue().TakeTurn(context.WithoutCancel(t.Context()), riverRow)
				if err != nil || turn == nil {
					t.Errorf("turn: got %v, %v, want one", turn, err)
					return
				}
				mu.Lock()
				taken[string(turn.Args)]++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if got, want := len(taken), users*jobs; got != want {
		t.Errorf("jobs: got %d different ones, want %d", got, want)
	}
	q.checkRiverRows()
}

func TestEnqueue_keeps_small_jobs_apart(t *testing.T) {
	t.Parallel()
	q := queue{t, testDB(t)}
	ann := addUser(t, q.db)
	for bytes, want := range map[int64]string{1: SmallJobQueue, maxSmallJob: SmallJobQueue, large: JobQueue} {
		id, got := q.add(ann, bytes, 0), ""
		check(t, q.db.idb.NewRaw("SELECT queue FROM river_job WHERE args ->> 'job_id' = ?", id).Scan(t.Context(), &got))
		if got != want {
			t.Errorf("queue of a job with %d bytes: got %s, want %s", bytes, got, want)
		}
	}
}
