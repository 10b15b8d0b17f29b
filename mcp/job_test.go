package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"portico/db"
	"portico/graph/view"
	"portico/internal/semaphore"
	"portico/model"
	"portico/splat/splattest"
	"portico/storage"
)

// timeout is how long a test waits for a condition.
const timeout = time.Minute

func rawJSON(text string) json.RawMessage { return json.RawMessage(text) }

func readAll(t testing.TB, store storage.Store, key string) string {
	t.Helper()
	reader, err := store.Open(t.Context(), key)
	check(t, err)
	defer func() { check(t, reader.Close()) }()
	b, err := io.ReadAll(reader)
	check(t, err)
	return string(b)
}

// queued uploads an archive that nobody works on yet and returns its job.
func (w *world) queued(who *account) *model.Job {
	w.t.Helper()
	var zip bytes.Buffer
	_, err := splattest.Capture{Tiles: 30, TileBytes: 100}.WriteTo(&zip)
	check(w.t, err)
	ctx := model.WithCaller(w.t.Context(), &model.Caller{UserID: who.id, KeyID: "k"})
	confirmation, err := w.resolver.StoreUpload(ctx,
		model.CreateUpload{FileName: "scan.zip", FileSize: model.FileSize(zip.Len())}, &zip)
	check(w.t, err)
	return confirmation.Job
}

func jobArguments(id, more string) string { return `{"job_id":"` + id + `"` + more + `}` }

func TestGetJob_returns_the_state_of_a_job(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.queued(w.alice)
	response := w.call(w.alice, "get_job", jobArguments(job.ID, ""))
	got := read[view.Job](response)
	equal(t, "status", got.JobStatus, model.JobQueued)
	equal(t, "progress", got.Progress, 0)
	if got.Result != nil || got.Error != nil {
		t.Errorf("result and error: got %v and %v, want none", got.Result, got.Error)
	}
	summary, _ := response.text()
	equal(t, "summary", summary, "Job "+job.ID+" is queued at 0 %: Waiting to be processed")
	w.call(w.bob, "get_job", jobArguments(job.ID, "")).refused(model.CodeNotFound, "Job not found")
	w.call(w.bob, "get_job", jobArguments(job.ID, `,"wait":true`)).refused(model.CodeNotFound, "Job not found")
	w.call(w.alice, "get_job", `{}`).refused(model.CodeInvalid, "job_id is required")
	w.call(w.alice, "get_job", jobArguments(job.ID, `,"wait":"yes"`)).refused(model.CodeInvalid, "wait must be true or false")
}

func TestListJobs_returns_the_newest_job_first(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first, second := w.queued(w.alice), w.queued(w.alice)
	got := read[view.JobList](w.call(w.alice, "list_jobs", `{}`))
	if got.Count != 2 || got.Jobs[0].JobID != second.ID || got.Jobs[1].JobID != first.ID {
		t.Errorf("jobs: got %+v, want both, newest first", got)
	}
	equal(t, "type", got.Jobs[0].Type, model.JobZip)
	none := w.call(w.bob, "list_jobs", `{}`)
	equal(t, "of another user", read[view.JobList](none).Count, 0)
	if _, data := none.text(); data != `{"jobs":[],"count":0}` {
		t.Errorf("no jobs: got %s, want an empty list", data)
	}
}

func TestGetJob_waits_and_reports_progress_in_order(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.queued(w.alice)
	// The worker starts when the waiting is heard of, so there is something to report.
	responses := make(chan *sdk.CallToolResult, 1)
	go func() {
		got, err := w.alice.client.CallTool(t.Context(), withToken("get_job", jobArguments(job.ID, `,"wait":true`), "my token"))
		if err != nil {
			t.Errorf("get_job: %v", err)
		}
		responses <- got
	}()
	notified := []*sdk.ProgressNotificationParams{w.nextProgress(w.alice)}
	equal(t, "first message", notified[0].Message, model.JobQueuedMessage)
	w.work()
	got := read[view.Job](result{t, receiveSoon(t, responses)})
	equal(t, "status", got.JobStatus, model.JobCompleted)
	equal(t, "result", got.Result.URL, "https://portico.example/files/"+w.alice.id+"/"+got.Result.ResourceKey)
	for notified[len(notified)-1].Progress < 100 {
		notified = append(notified, w.nextProgress(w.alice))
	}
	for i, p := range notified {
		if p.ProgressToken != any("my token") || p.Total != 100 || (i > 0 && p.Progress <= notified[i-1].Progress) {
			t.Errorf("notification %d: got %+v after %v, want more of 100 with the token", i, p, notified[:i])
		}
	}
}

func (w *world) nextProgress(who *account) *sdk.ProgressNotificationParams {
	w.t.Helper()
	return receiveSoon(w.t, who.progress)
}

// receiveSoon waits for what must come.
func receiveSoon[T any](t testing.TB, from <-chan T) T {
	t.Helper()
	select {
	case value := <-from:
		return value
	case <-time.After(timeout):
		t.Fatalf("got nothing within %v", timeout)
	}
	panic("unreachable")
}

func TestGetJob_waits_for_a_bounded_time(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.queued(w.alice)
	w.door.shortWait, w.door.longWait = time.Millisecond, 2*time.Millisecond
	for _, token := range []string{"", "t"} {
		params := withToken("get_job", jobArguments(job.ID, `,"wait":true`), token)
		if token == "" {
			params.Meta = nil
		}
		equal(t, "status", read[view.Job](w.send(w.alice, params)).JobStatus, model.JobQueued)
	}
}

func TestGetJob_answers_when_the_server_stops(t *testing.T) {
	t.Parallel()
	stopping, stop := context.WithCancel(t.Context())
	w := serveWorld(t, func(o *Options) { o.Stopping = stopping })
	job := w.queued(w.alice)
	responses := make(chan *sdk.CallToolResult, 1)
	go func() {
		got, err := w.alice.client.CallTool(t.Context(), withToken("get_job", jobArguments(job.ID, `,"wait":true`), "t"))
		if err != nil {
			t.Errorf("get_job: %v", err)
		}
		responses <- got
	}()
	w.nextProgress(w.alice) // it waits
	stop()
	equal(t, "status", read[view.Job](result{t, receiveSoon(t, responses)}).JobStatus, model.JobQueued)
}

func TestGetJob_ends_when_the_key_is_revoked(t *testing.T) {
	t.Parallel()
	for name, params := range map[string]func(id string) *sdk.CallToolParams{
		"a stream": func(id string) *sdk.CallToolParams {
			return withToken("get_job", jobArguments(id, `,"wait":true`), "t")
		},
		"one answer": func(id string) *sdk.CallToolParams {
			return &sdk.CallToolParams{Name: "get_job", Arguments: rawJSON(jobArguments(id, `,"wait":true`))}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			job := w.queued(w.alice)
			responses := make(chan *sdk.CallToolResult, 1)
			go func() {
				got, err := w.alice.client.CallTool(t.Context(), params(job.ID))
				if err != nil {
					t.Errorf("get_job: %v", err)
				}
				responses <- got
			}()
			w.awaitWaits(1)
			revoked := time.Now()
			check(t, w.db.Accounts().RevokeAccess(t.Context(), &model.User{ID: w.alice.id}))
			result{t, receiveSoon(t, responses)}.refused(model.CodeUnauthenticated, "Invalid or expired API key")
			t.Logf("the call ended %v after the revocation", time.Since(revoked)) // not when its wait was over
		})
	}
}

// awaitWaits returns when so many calls wait for a job.
func (w *world) awaitWaits(want int) {
	w.t.Helper()
	for deadline := time.After(timeout); w.door.waits.Taken() != int64(want); {
		select {
		case <-deadline:
			w.t.Fatalf("calls that wait: got %d, want %d", w.door.waits.Taken(), want)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func TestGetJob_does_not_wait_beside_too_many_others(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.queued(w.alice)
	w.door.waits = &semaphore.Room{Size: 1}
	_, _ = w.door.waits.Enter("somebody", 1, nil)
	equal(t, "status", read[view.Job](w.call(w.alice, "get_job", jobArguments(job.ID, `,"wait":true`))).JobStatus, model.JobQueued)
}

func TestGetJob_stops_waiting_when_the_client_leaves(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.queued(w.alice)
	ctx, leave := context.WithCancel(t.Context())
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_job","arguments":%s,"_meta":{"progressToken":7}}}`,
		jobArguments(job.ID, `,"wait":true`))
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, w.base+"/v1/mcp", bytes.NewReader([]byte(body)))
	check(t, err)
	r.Header = http.Header{
		"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
		"Authorization": {"Bearer " + w.alice.key},
	}
	response, err := http.DefaultClient.Do(r)
	check(t, err)
	equal(t, "Content-Type", response.Header.Get("Content-Type"), "text/event-stream")
	_, err = response.Body.Read(make([]byte, 1)) // it waits now
	check(t, err)
	leave()
	_ = response.Body.Close() // cut off
	w.awaitWaits(0)
	equal(t, "log", w.log.String(), "")
}

func TestGetJob_says_why_it_failed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.queued(w.alice)
	check(t, w.db.InTx(t.Context(), func(tx *db.DB) error {
		_, err := tx.Jobs().FailJobAndUpload(t.Context(), job.ID, 0, model.JobCanceled)
		return err
	}))
	response := w.call(w.alice, "get_job", jobArguments(job.ID, `,"wait":true`))
	got := read[view.Job](response) // the job failed, the question did not
	equal(t, "status", got.JobStatus, model.JobFailed)
	equal(t, "error", *got.Error, model.JobCanceled)
	summary, _ := response.text()
	equal(t, "summary", summary, "Job "+job.ID+" failed: Canceled")
}

// Proxies end a stream without bytes after a minute, and nginx buffers a stream without the header.
func TestGetJob_keeps_a_stream_alive_with_comments(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.door.keepAlive = time.Millisecond
	job := w.queued(w.alice)
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_job","arguments":%s,"_meta":{"progressToken":7}}}`,
		jobArguments(job.ID, `,"wait":true`))
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.base+"/v1/mcp", strings.NewReader(body))
	check(t, err)
	r.Header = http.Header{
		"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
		"Authorization": {"Bearer " + w.alice.key},
	}
	response, err := http.DefaultClient.Do(r)
	check(t, err)
	defer func() { check(t, response.Body.Close()) }()
	equal(t, "X-Accel-Buffering", response.Header.Get("X-Accel-Buffering"), "no")
	equal(t, "Cache-Control", response.Header.Get("Cache-Control"), "no-store")
	lines := bufio.NewScanner(response.Body)
	comments, events, working := 0, 0, false
	for lines.Scan() {
		switch line := lines.Text(); {
		case line == ":":
			comments++
		case strings.HasPrefix(line, "data: "):
			events++
			if !json.Valid([]byte(strings.TrimPrefix(line, "data: "))) {
				t.Errorf("event: got %s, want JSON", line)
			}
		}
		if comments >= 3 && events > 0 && !working { // the stream was silent, and then goes on
			w.work()
			working = true
		}
	}
	check(t, lines.Err())
	if !working || events < 2 {
		t.Errorf("stream: got %d comments and %d events, want comments between events", comments, events)
	}
}

func TestDoor_comments_more_often_than_proxies_end_streams(t *testing.T) {
	t.Parallel()
	equal(t, "interval", newDoor(Options{}).keepAlive, 15*time.Second)
}
