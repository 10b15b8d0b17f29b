package worker

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"portico/model"
	"portico/splat/archive"
)

type sent struct {
	at      time.Duration
	percent float64
	step    model.JobStep
}

// newReporter returns a reporter that stores reports in a slice; current reports whether the job
// still belongs to the attempt.
func newReporter(t *testing.T, current func() (bool, error)) (r *reporter, ctx context.Context, reports *[]sent) {
	t.Helper()
	ctx, cancel := context.WithCancelCause(t.Context())
	began, reports := time.Now(), new([]sent)
	r = &reporter{cancel: cancel, log: slog.New(slog.DiscardHandler), store: func(_ context.Context, percent float64, step model.JobStep) (bool, error) {
		*reports = append(*reports, sent{time.Since(began), percent, step})
		return current()
	}}
	r.start(ctx)
	t.Cleanup(r.stop)
	return r, ctx, reports
}

func always() (bool, error) { return true, nil }

// working is a step without figures.
var working = model.JobStep{Name: model.JobReadingZip}

func TestReporter_sends_at_most_four_reports_a_second(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, _, reports := newReporter(t, always)
		for i := range 10_000 {
			r.set(float64(i)/100, model.JobStep{Name: model.JobExtractingZip, Done: int64(i)})
			time.Sleep(time.Millisecond) // of the bubble's clock
		}
		r.stop()
		if got := len(*reports); got < 38 || got > 40 {
			t.Errorf("reports in 10 s: got %d, want 4 a second", got)
		}
		for i, report := range *reports {
			if i > 0 && report.at-(*reports)[i-1].at < 250*time.Millisecond {
				t.Errorf("report %d: got %v after the one before, want at least 250ms", i, report.at-(*reports)[i-1].at)
			}
			if want := float64(report.step.Done / 100); report.percent != want {
				t.Errorf("report %d: got %v %%, want %v, the whole percentage of its step", i, report.percent, want)
			}
		}
	})
}

func TestReporter_never_falls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, _, reports := newReporter(t, always)
		for _, percent := range []float64{10, 50, 20, 60} {
			r.set(percent, working)
			time.Sleep(minReportInterval + time.Millisecond)
		}
		r.stop()
		for i, want := range []float64{10, 50, 50, 60} {
			if got := (*reports)[i].percent; got != want {
				t.Errorf("report %d: got %v, want %v", i, got, want)
			}
		}
	})
}

// The reporter notices a canceled job even if there is no progress.
func TestReporter_notices_that_the_job_is_lost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var canceled atomic.Bool
		r, ctx, reports := newReporter(t, func() (bool, error) { return !canceled.Load(), nil })
		r.set(10, working)
		time.Sleep(minReportInterval + time.Millisecond)
		canceled.Store(true)
		lost := time.Now()
		<-ctx.Done()
		if got := time.Since(lost); got > maxReportInterval+minReportInterval {
			t.Errorf("noticed after %v, want at most %v", got, maxReportInterval+minReportInterval)
		}
		if got := context.Cause(ctx); !errors.Is(got, errLost) {
			t.Errorf("cause: got %v, want %v", got, errLost)
		}
		r.stop()
		if got := len(*reports); got != 2 {
			t.Errorf("reports: got %d, want 2: none after the job was lost", got)
		}
	})
}

func TestReporter_continues_after_a_failed_report(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, ctx, reports := newReporter(t, func() (bool, error) { return false, errors.New("no connection") })
		r.set(10, working)
		time.Sleep(5 * time.Second)
		r.stop()
		if err := ctx.Err(); err != nil {
			t.Errorf("the work: got %v, want it to go on", err)
		}
		if got := len(*reports); got < 4 {
			t.Errorf("reports in 5 s: got %d, want them to go on", got)
		}
	})
}

// Reports are sent every second.
func TestReporter_logs_an_outage_once(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	var failure error
	r := &reporter{log: slog.New(slog.NewTextHandler(&log, nil)), store: func(context.Context, float64, model.JobStep) (bool, error) {
		return true, failure
	}}
	away := errors.New("the database is away")
	for _, failure = range []error{away, away, nil, nil} {
		r.send(t.Context(), 10, working)
	}
	checkOutageLog(t, &log, "report progress", "progress is reported again")
}

// A worker that stops must not wait for a database that does not answer.
func TestReporter_stops_while_a_report_hangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		hangs := make(chan struct{})
		r := &reporter{cancel: func(error) {}, log: slog.New(slog.DiscardHandler), store: func(ctx context.Context, _ float64, _ model.JobStep) (bool, error) {
			close(hangs)
			select {
			case <-ctx.Done():
				return false, ctx.Err()
			case <-time.After(time.Minute): // of the bubble's clock
				return true, nil
			}
		}}
		r.start(t.Context())
		r.set(10, working)
		<-hangs
		began := time.Now()
		r.stop()
		if got := time.Since(began); got > reportTimeout {
			t.Errorf("stop: got %v, want at most %v", got, reportTimeout)
		}
	})
}

func TestReporter_sends_nothing_before_the_work(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, _, reports := newReporter(t, always)
		time.Sleep(5 * time.Second)
		r.stop()
		r.stop() // a second call does nothing
		if got := len(*reports); got != 0 {
			t.Errorf("reports: got %d, want none", got)
		}
	})
}

// The owner of a reporter need not know whether it has started.
func TestReporter_stops_without_start(t *testing.T) {
	t.Parallel()
	var r reporter
	r.stop()
	r.stop()
}

// Nearly all bytes of an archive may be in one file, while the other files take most of the time.
func TestReportSteps_counts_files_as_well_as_bytes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		step archive.Step
		want float64
	}{
		{"empty files", archive.Step{FilesDone: 30_000, Files: 60_001, BytesDone: 0, Bytes: 10 << 20}, 49},
		{"one large file", archive.Step{FilesDone: 0, Files: 1, BytesDone: 1 << 30, Bytes: 2 << 30}, 49},
		{"both", archive.Step{FilesDone: 2, Files: 4, BytesDone: 2 * fileCost, Bytes: 4 * fileCost}, 50},
		{"all", archive.Step{FilesDone: 4, Files: 4, BytesDone: 9, Bytes: 9}, 100},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			a := &attempt{progress: &reporter{}}
			a.reportSteps(model.JobExtractingZip, 0, 100)(test.step)
			want := model.JobStep{Name: model.JobExtractingZip, Done: int64(test.step.FilesDone), Total: int64(test.step.Files)}
			if got, step, _ := a.progress.next(true); got != test.want || step != want {
				t.Errorf("progress: got %v and %+v, want %v and %+v", got, step, test.want, want)
			}
		})
	}
}

func TestReportConversion_has_the_percentage_of_the_child(t *testing.T) {
	t.Parallel()
	a := &attempt{progress: &reporter{}}
	a.reportConversion(model.JobConverting, 20, 95)(50.9, "Sorting the capture")
	want := model.JobStep{Name: model.JobConverting, Done: 50, Total: 100, Detail: "Sorting the capture"}
	if percent, got, _ := a.progress.next(true); got != want || percent != 58 {
		t.Errorf("got %v and %+v, want 58 and %+v", percent, got, want)
	}
}

func TestPercentAt_maps_progress_to_its_stage(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		from, to    float64
		done, total int64
		want        float64
	}{
		{0, 99, 0, 10, 0},
		{0, 99, 10, 10, 99},
		{2, 98, 1, 2, 50},
		{2, 99, 0, 0, 99}, // no work counts as complete
		{0, 50, 1 << 40, 1 << 41, 25},
	} {
		if got := percentAt(test.from, test.to, test.done, test.total); got != test.want {
			t.Errorf("percentAt(%v, %v, %d, %d): got %v, want %v", test.from, test.to, test.done, test.total, got, test.want)
		}
	}
}
