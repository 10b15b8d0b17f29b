package live

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	"golang.org/x/sync/semaphore"

	"portico/db"
	"portico/internal/background"
	"portico/model"
)

// reads returns how many statements selected from the table.
func reads(recorder *tracetest.SpanRecorder, table string) (count int) {
	for _, span := range recorder.Ended() {
		if strings.HasPrefix(span.Name(), "SELECT") && strings.Contains(span.Name(), table) {
			count++
		}
	}
	return count
}

// recorded returns a context whose statements are recorded.
func recorded(t *testing.T, recorder *tracetest.SpanRecorder) context.Context {
	t.Helper()
	tracer := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder)).Tracer("test")
	ctx, span := tracer.Start(t.Context(), "test")
	t.Cleanup(func() { span.End() })
	return ctx
}

// record records the statements of the shared reads too.
func (s *sharedReads[T]) record(ctx context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, read := range s.byTopic {
		read.mu.Lock()
		load := read.load
		read.load = func(reading context.Context, before T) (T, time.Duration, error) {
			return load(trace.ContextWithSpan(reading, trace.SpanFromContext(ctx)), before)
		}
		read.mu.Unlock()
	}
}

// The numbers of subscriptions and changes in TestSubscriptions_read_each_change_once.
const subscribers, changes = 20, 5

// countReads makes the changes and checks how many times the table was read: once for each change,
// and at intervals. A subscription may read twice when an announcement and a signal arrive
// together.
func countReads(t testing.TB, recorder *tracetest.SpanRecorder, table string, interval time.Duration, change func(i int)) {
	t.Helper()
	recorder.Reset()
	began := time.Now()
	for i := range changes {
		change(i)
	}
	got, limit := reads(recorder, table), 2*changes+int(time.Since(began)/interval)+1
	if got < changes || got > limit {
		t.Errorf("reads for %d changes and %d subscribers: got %d, want %d to %d", changes, subscribers, got, changes, limit)
	}
}

func TestSubscriptions_read_each_change_once(t *testing.T) {
	t.Parallel()
	t.Run("of a job", func(t *testing.T) {
		t.Parallel()
		w, recorder := tracedWorld(t)
		ctx, job := recorded(t, recorder), w.job()
		watch := func() (<-chan *model.Job, error) { return w.Job(as(ctx, w.alice), job.ID) }
		jobIsReadOnce(w, recorder, job, watch, func() { w.jobs.record(ctx) })
		equal(t, "subscriptions", w.Open(), subscribers)
		_, err := w.db.Jobs().FailJobAndUpload(t.Context(), job.ID, 0, model.JobCanceled)
		check(t, err)
		eventually(t, "nobody follows the job", func() bool { return !following(&w.jobs) && w.Open() == 0 })
	})
	t.Run("of the caller's jobs", func(t *testing.T) {
		t.Parallel()
		w, recorder := tracedWorld(t)
		ctx, job := recorded(t, recorder), w.job()
		watch := func() (<-chan *model.Job, error) { return w.Jobs(as(ctx, w.alice)) }
		jobIsReadOnce(w, recorder, job, watch, func() { w.jobLists.record(ctx) })
	})
	t.Run("of the notifications", notificationsAreReadOnce)
}

// jobIsReadOnce follows a job many times, and reports its progress. record records the statements of
// the shared reads.
func jobIsReadOnce(
	w *world, recorder *tracetest.SpanRecorder, job *model.Job, watch func() (<-chan *model.Job, error), record func(),
) {
	w.t.Helper()
	var all []<-chan *model.Job
	for range subscribers {
		states, err := watch()
		check(w.t, err)
		all = append(all, states)
	}
	record()
	claimed, err := w.db.Jobs().ClaimJob(w.t.Context(), job.ID)
	check(w.t, err)
	countReads(w.t, recorder, "jobs", pollInterval, func(i int) {
		w.report(claimed, i)
		for _, states := range all {
			for state, open := receive(w.t, states); state.Progress < float64(i) || state.Status != model.JobProcessing; state, open = receive(w.t, states) {
				if !open {
					w.t.Fatal("got the end of a job that runs")
				}
			}
		}
	})
	for _, states := range all {
		go drain(w.t, states)
	}
}

func notificationsAreReadOnce(t *testing.T) {
	t.Parallel()
	w, recorder := tracedWorld(t)
	ctx := recorded(t, recorder)
	check(t, w.db.Accounts().Follow(t.Context(), w.alice, w.bob))
	var all []<-chan *model.Notification
	for range subscribers {
		feed, err := w.Notifications(as(ctx, w.bob), nil)
		check(t, err)
		all = append(all, feed)
	}
	w.notifications.record(ctx)
	publish := func(int) {
		want := w.publicSpace().ID
		for _, feed := range all {
			if got, _ := receive(t, feed); got.SpaceID != want {
				t.Fatalf("notification: got %s, want %s", got.SpaceID, want)
			}
		}
	}
	// The first shared read may come after the first notification, which each subscriber
	// then reads for itself, and the second one too: its place is before what is shared.
	publish(0)
	publish(0)
	countReads(t, recorder, "notifications", moreInterval, publish)
}

// following reports whether somebody follows one of the values.
func following[T any](reads *sharedReads[T]) bool {
	reads.mu.Lock()
	defer reads.mu.Unlock()
	return len(reads.byTopic) > 0
}

// A subscriber starts with the stored state, not with the state that others have received.
func TestSharedReads_start_each_subscriber_from_now(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var reads sharedReads[int]
	stored := make(chan int, 1)
	stored <- 0
	load := func(context.Context, int) (int, time.Duration, error) {
		value := <-stored
		stored <- value
		return value, 0, nil
	}
	for i := 1; i <= 20; i++ {
		<-stored
		stored <- i
		got, err := reads.subscribe(t.Context(), &w.engine, db.JobTopic("x"), load).value(t.Context())
		check(t, err)
		equal(t, "value", got, i)
	}
}

// Values to which nothing happens are not read: the polls of package db are for all of them. A new
// topic has a signal at the next poll, so new topics wait for polls.
func TestSharedReads_read_nothing_while_nothing_happens(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var reads sharedReads[int]
	var loads atomic.Int64
	load := func(context.Context, int) (int, time.Duration, error) { loads.Add(1); return 0, 0, nil }
	for i := range 50 {
		_, err := reads.subscribe(t.Context(), &w.engine, db.JobTopic(strconv.Itoa(i)), load).value(t.Context())
		check(t, err)
	}
	receive(t, w.db.Watch(t.Context(), db.JobTopic("listening"))) // a signal of the new listener, or a poll
	receive(t, w.db.Watch(t.Context(), db.JobTopic("first")))     // this look causes a read of each
	receive(t, w.db.Watch(t.Context(), db.JobTopic("second")))
	before := loads.Load()
	receive(t, w.db.Watch(t.Context(), db.JobTopic("third")))
	equal(t, "reads of 50 values between two polls", loads.Load()-before, 0)
}

// While the database is unavailable, subscribers have the last value, and new subscribers wait.
func TestSharedReads_survive_errors(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var reads sharedReads[int]
	results := make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	topic := db.JobTopic("x")
	subscriber := reads.subscribe(ctx, &w.engine, topic, func(_ context.Context, before int) (int, time.Duration, error) {
		select {
		case err := <-results:
			return before + 1, 0, err
		case <-ctx.Done():
			return 0, 0, ctx.Err()
		}
	})
	results <- errors.New("away")
	wake := func() { background.Signal(subscriber.read.wake) }
	wake()
	results <- nil
	value, err := subscriber.value(ctx)
	check(t, err)
	equal(t, "value", value, 1)
	wake()
	results <- errors.New("away")
	value, err = subscriber.value(ctx)
	check(t, err)
	equal(t, "value while the database is away", value, 1)
	wake()
	results <- model.NotFound("gone")
	eventually(t, "the subscribers learn that it is gone", func() bool {
		_, err := subscriber.value(ctx)
		return model.CodeOf(err) == model.CodeNotFound
	})
}

// The rows of an account that changes all the time take a second to read.
func TestSharedRead_leaves_its_slot_to_others_after_a_long_read(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		reads := 0
		s := &sharedRead[int]{
			wake: make(chan struct{}, 1),
			load: func(context.Context, int) (int, time.Duration, error) {
				reads++
				time.Sleep(time.Second)
				return reads, 0, nil
			},
		}
		e := &engine{log: slog.New(slog.DiscardHandler), slots: semaphore.NewWeighted(1)}
		changes := make(chan struct{})
		close(changes) // it always has a signal
		var running sync.WaitGroup
		running.Go(func() {
			e.repeatRead(ctx, changes, s.wake, func(ctx context.Context) (again, pause time.Duration, err error) {
				return s.read(ctx, e.slots)
			})
		})
		time.Sleep(time.Minute - time.Millisecond)
		cancel()
		running.Wait()
		if want := 60 / (1 + readPauseFactor); reads != want {
			t.Errorf("reads of a second in a minute: got %d, want %d", reads, want)
		}
	})
}

// A read after the end of the database would be logged as a fault.
func TestService_Close_waits_for_the_reads_of_subscriptions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var reads sharedReads[int]
	started, ended := make(chan struct{}), atomic.Bool{}
	load := func(ctx context.Context, _ int) (int, time.Duration, error) {
		close(started)
		<-ctx.Done()
		ended.Store(true)
		return 0, 0, ctx.Err()
	}
	reads.subscribe(t.Context(), &w.engine, db.SpaceTopic("a"), load)
	receive(t, started)
	w.Close()
	if !ended.Load() {
		t.Error("Close: got its return during a read, want it to wait")
	}
	reads.subscribe(t.Context(), &w.engine, db.SpaceTopic("b"), func(context.Context, int) (int, time.Duration, error) {
		t.Error("read after Close: got one, want none")
		return 0, 0, nil
	})
	w.Close()
}
