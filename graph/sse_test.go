package graph_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"portico/graph/limits"
	"portico/model"
)

const watchJob = `subscription($id: ID!) { job(id: $id) { status progress message resourceKey error } }`

// works completes the job in steps, whose messages a subscriber receives.
func (w *world) works(job *model.Job, watch func(message, status string, progress int)) {
	w.t.Helper()
	watch(model.JobQueuedMessage, "QUEUED", 0)
	claimed := w.claim(job)
	for done := 1; done <= 3; done++ {
		w.report(claimed, float64(30*done), extracting(done, 3))
		watch(fmt.Sprintf("Extracting zip: %d of 3 files", done), "PROCESSING", 30*done)
	}
	w.finish(job)
	watch("Completed", "COMPLETED", 100)
}

func TestSSE(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	t.Run("reports the progress of a job", func(t *testing.T) {
		t.Parallel()
		job := w.job(w.alice)
		events := w.stream(t, w.alice, job.ID)
		w.works(job, func(message, status string, progress int) {
			t.Helper()
			events.until(t, fmt.Sprintf(`"status":"%s","progress":%d,"message":"%s"`, status, progress, message))
		})
		events.until(t, "event: complete")
		if rest, err := io.ReadAll(events); err != nil || strings.TrimSpace(string(rest)) != "data:" {
			t.Errorf("after the end: got %q, %v, want a data line and the end", rest, err)
		}
	})
	for _, test := range []struct {
		name string
		who  func() account
		id   func() string
		want string
	}{
		{"says that a job is not there", func() account { return w.alice }, func() string { return "unknown" }, `"message":"Job not found"`},
		{"hides another's job", func() account { return w.bob }, func() string { return w.job(w.alice).ID }, `"code":"NOT_FOUND"`},
		{"needs a key", func() account { return account{} }, func() string { return "any" }, `"code":"UNAUTHENTICATED"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w.stream(t, test.who(), test.id()).until(t, test.want)
		})
	}
}

// TestStreams_are_limited checks the maximum number of streams of a key, and that ended streams do
// not count.
func TestStreams_are_limited(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.job(w.alice)
	for range 2 {
		var streams []*stream
		for range limits.MaxStreams {
			s := w.stream(t, w.alice, job.ID)
			s.until(t, "QUEUED")
			streams = append(streams, s)
		}
		r := w.streamRequest(t, w.alice, job.ID)
		response, err := w.server.Client().Do(r)
		check(t, err)
		body, err := io.ReadAll(response.Body)
		check(t, err)
		equal(t, "status", response.StatusCode, http.StatusTooManyRequests)
		equal(t, "Retry-After", response.Header.Get("Retry-After"), "5")
		want := `{"errors":[{"message":"This account already has 100 streams open","extensions":{"code":"RATE_LIMITED","retryAfterSeconds":5}}]}`
		equal(t, "body", string(body), want)
		w.stream(t, w.bob, "unknown").until(t, "NOT_FOUND") // another key's
		_, err = w.Mutation().CancelJob(w.alice.ctx, job.ID)
		check(t, err)
		for _, s := range streams {
			s.until(t, "event: complete")
			_, err := io.ReadAll(s) // the server has ended the request
			check(t, err)
		}
		job = w.job(w.alice)
	}
}

// stream is a client's end of an event stream.
type stream struct {
	*bufio.Reader
}

func (w *world) streamRequest(t *testing.T, who account, id string) *http.Request {
	t.Helper()
	return w.eventsRequest(t, who, request(watchJob, map[string]any{"id": id}))
}

// eventsRequest returns a request for a subscription over server-sent events.
func (w *world) eventsRequest(t *testing.T, who account, operation string) *http.Request {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, w.server.URL, strings.NewReader(operation))
	check(t, err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "text/event-stream")
	if who.key != "" {
		r.Header.Set("Authorization", "Bearer "+who.key)
	}
	return r
}

func (w *world) stream(t *testing.T, who account, id string) *stream {
	t.Helper()
	return w.events(t, w.streamRequest(t, who, id))
}

func (w *world) events(t *testing.T, r *http.Request) *stream {
	t.Helper()
	response, err := w.server.Client().Do(r)
	check(t, err)
	t.Cleanup(func() { _ = response.Body.Close() }) // the rest is not needed
	equal(t, "status", response.StatusCode, http.StatusOK)
	return &stream{bufio.NewReader(response.Body)}
}

// until reads lines up to one with the text.
func (s *stream) until(t *testing.T, text string) {
	t.Helper()
	for {
		line, err := s.ReadString('\n')
		if strings.Contains(line, text) {
			return
		}
		if err != nil {
			t.Fatalf("stream: got %v, want a line with %q", err, text)
		}
	}
}
