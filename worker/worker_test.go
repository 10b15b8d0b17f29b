package worker

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/url"
	"runtime/metrics"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
	"go.uber.org/goleak"

	"portico/db"
	"portico/internal/testkit/leak"
	"portico/internal/testkit/postgres"
	"portico/model"
	"portico/splat/splattest"
	"portico/storage"
)

// All other tests are parallel and wait for this one, so that all goroutines that it finds are its
// own.
func TestStop_leaves_nothing_running(t *testing.T) { //nolint:paralleltest // see above
	w := newWorld(t)
	before := goleak.IgnoreCurrent()
	worker := w.start(t)
	w.awaitCompleted(t, w.submitCapture(t, capture).ID)
	stop(t, worker)
	leak.None(t, before)
	stop(t, worker) // a second call succeeds
}

func TestStop_of_an_idle_worker_is_quick(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var took []time.Duration
	for range 5 { // on a busy machine one call may be slow
		worker := w.start(t)
		began := time.Now()
		stop(t, worker)
		if took = append(took, time.Since(began)); took[len(took)-1] < stopGrace {
			return
		}
	}
	t.Errorf("stops: took %v, want less than %v: there is nothing to wait for", took, stopGrace)
}

// The context ends when Stop cancels the loops, while one loop still runs.
func TestStop_returns_when_its_context_ends(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	worker := w.start(t)
	release := make(chan struct{})
	ctx, end := context.WithCancel(t.Context())
	worker.loops.Go(func(loop context.Context) {
		<-loop.Done()
		end()
		<-release
	})
	stopped := make(chan error, 1)
	go func() { stopped <- worker.Stop(ctx) }()
	select {
	case err := <-stopped:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("stop: got %v, want %v", err, context.Canceled)
		}
	case <-time.After(time.Minute):
		t.Error("stop: still waits after the end of its context")
	}
	close(release)
}

// A job that does not notice the end of its context keeps its connections: Stop does not wait for
// them, and the job goes back to the queue when it ends.
func TestStop_returns_before_a_job_that_ignores_its_context(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.submitCapture(t, capture)
	var once sync.Once
	stalled, release := make(chan struct{}), make(chan struct{})
	worker := w.start(t, func(o *Options) {
		o.Store = trouble{w.store, func() error {
			once.Do(func() { close(stalled) })
			<-release
			return context.Canceled
		}}
	})
	<-stalled
	ended, end := context.WithCancel(t.Context())
	end()
	stopped := make(chan error, 1)
	go func() { stopped <- worker.Stop(ended) }()
	select {
	case err := <-stopped:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("stop: got %v, want %v", err, context.Canceled)
		}
	case <-time.After(time.Minute):
		t.Error("stop: still waits after the end of its context")
	}
	close(release)
	stop(t, worker)
	if got := w.job(t, job.ID); got.Status != model.JobQueued {
		t.Errorf("job: got %s, want %s", got.Status, model.JobQueued)
	}
}

func TestStart_outlives_its_context(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx, cancel := context.WithCancel(t.Context())
	worker, err := Start(ctx, w.options())
	if err != nil {
		t.Fatalf("start: %v", err)
	}
	t.Cleanup(func() { stop(t, worker) })
	cancel()
	w.awaitCompleted(t, w.submitCapture(t, capture).ID)
}

func TestStart_refuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	address := postgres.URL(t, migrate)
	gone, err := db.Open(t.Context(), db.Options{URL: address, Logger: w.log})
	if err != nil {
		t.Fatalf("open a database: %v", err)
	}
	t.Cleanup(func() { _ = gone.Close() })
	u, err := url.Parse(address)
	if err != nil {
		t.Fatalf("parse the address: %v", err)
	}
	if _, err := postgres.Connect(t, postgres.AdminURL(t, w.url)).ExecContext(t.Context(), "DROP DATABASE "+u.Host+" WITH (FORCE)"); err != nil {
		t.Fatalf("drop the database: %v", err)
	}
	for _, test := range []struct {
		name   string
		change func(*Options)
		want   string
	}{
		{"no jobs at a time", func(o *Options) { o.Jobs = 0 }, "configure the queue"},
		{"a database that is gone", func(o *Options) { o.DB = gone }, "start the queue"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			o := w.options()
			test.change(&o)
			worker, err := Start(t.Context(), o)
			if err == nil {
				stop(t, worker)
				t.Fatal("start: got no error, want one")
			}
			if !strings.Contains(err.Error(), test.want) {
				t.Errorf("start: got %q, want it to say %q", err, test.want)
			}
		})
	}
}

func TestNextRetry_doubles_up_to_64_seconds(t *testing.T) {
	t.Parallel()
	for attempt, want := range map[int]time.Duration{
		0: time.Second, 1: time.Second, 2: 2 * time.Second, 4: 8 * time.Second, 7: 64 * time.Second, 999: 64 * time.Second,
	} {
		job := &river.Job[jobArgs]{JobRow: &rivertype.JobRow{Attempt: attempt}}
		got := time.Until((&jobWorker{}).NextRetry(job)).Round(time.Second)
		if got != want {
			t.Errorf("after attempt %d: got %v, want %v", attempt, got, want)
		}
	}
}

func TestRiverHandler_drops_records_below_a_warning(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	log := slog.New(riverHandler{slog.NewTextHandler(&b, nil), func() bool { return false }})
	for _, l := range []*slog.Logger{log, log.With("a", 1), log.WithGroup("g")} {
		b.Reset()
		l.Info("quiet")
		l.Warn("loud")
		if got := b.String(); strings.Contains(got, "quiet") || !strings.Contains(got, "loud") {
			t.Errorf("log: got %q, want the warning alone", got)
		}
	}
}

// metering is a store that measures the heap at every read of an object's content.
type metering struct {
	storage.Store
	mu   sync.Mutex
	peak uint64
}

// Put implements storage.Store.
func (s *metering) Put(ctx context.Context, key string, r io.Reader) (int64, error) {
	return s.Store.Put(ctx, key, &meteringReader{s, r})
}

type meteringReader struct {
	s *metering
	r io.Reader
}

func (r *meteringReader) Read(p []byte) (int, error) {
	r.s.sample()
	return r.r.Read(p)
}

func (s *metering) sample() {
	heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(heap)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.peak = max(s.peak, heap[0].Value.Uint64())
}

// The memory of a job does not grow with its archive.
func TestExtraction_takes_little_memory(t *testing.T) { //nolint:paralleltest // it measures the process
	if testing.Short() {
		t.Skip("extracts 200 MB")
	}
	w := newWorld(t)
	big := splattest.Capture{Tiles: 200, TileBytes: 1 << 20}
	job := w.submitCapture(t, big)
	store := &metering{Store: w.store}
	store.sample()
	before := store.peak
	began := time.Now()
	if err := w.attempt(t, w.idle(t, func(o *Options) { o.Store = store }), job); err != nil {
		t.Fatalf("work: got %v, want nil", err)
	}
	w.checkKept(t, w.awaitCompleted(t, job.ID), captured(big))
	const limit = 32 << 20
	got := store.peak - min(before, store.peak)
	t.Logf("200 MB in %v with %d MB more of heap", time.Since(began), got>>20)
	if got > limit {
		t.Errorf("heap: got %d bytes more at most, want no more than %d", got, limit)
	}
}

// BenchmarkExtract measures a job from its claim to its result.
func BenchmarkExtract(b *testing.B) {
	w := newWorld(b)
	worker := w.idle(b)
	c := splattest.Capture{Tiles: 64, TileBytes: 1 << 20}
	b.SetBytes(int64(c.Tiles) * c.TileBytes)
	for b.Loop() {
		b.StopTimer()
		job := w.submitCapture(b, c)
		b.StartTimer()
		if err := w.attempt(b, worker, job); err != nil {
			b.Fatalf("work: got %v, want nil", err)
		}
	}
}
