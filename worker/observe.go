package worker

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/riverqueue/river/rivertype"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// Attempt describes an attempt that has ended, for metrics.
type Attempt struct {
	// Kind is the job's type as clients know it, or River's kind for background work.
	Kind    string
	Outcome Outcome
	// Waited is how long the job was ready to run before the attempt started.
	Waited time.Duration
	// Took is how long the attempt ran, without Waited.
	Took time.Duration
}

// Outcome is how an attempt ended.
type Outcome string

// The outcomes of an attempt.
const (
	Completed  Outcome = "completed"
	Retried    Outcome = "retried"   // failed, and is tried again
	Postponed  Outcome = "postponed" // until the store or the database is back
	Failed     Outcome = "failed"    // failed for good
	Canceled   Outcome = "canceled"
	Superseded Outcome = "superseded"  // given to another attempt when the lease ran out
	HandedBack Outcome = "handed-back" // because the process stops
)

// observe reports an attempt that has ended to Options.Observe. The wait counts from the time for
// which River scheduled the attempt.
func (w *Worker) observe(kind string, row *rivertype.JobRow, started time.Time, outcome Outcome) {
	if w.Observe != nil {
		w.Observe(Attempt{Kind: kind, Outcome: outcome, Waited: max(0, started.Sub(row.ScheduledAt)), Took: time.Since(started)})
	}
}

// riverHandler passes on River's warnings and errors. It drops everything below, since
// the worker logs each job itself, and the errors of statements and jobs that were canceled because
// the worker stops.
type riverHandler struct {
	slog.Handler
	isStopping func() bool
}

// Enabled implements slog.Handler.
func (h riverHandler) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && h.Handler.Enabled(ctx, level)
}

// Handle implements slog.Handler.
func (h riverHandler) Handle(ctx context.Context, record slog.Record) error {
	if h.isStopping() && isCanceled(record) {
		return nil
	}
	return h.Handler.Handle(ctx, record)
}

// isCanceled reports whether the record is about the end of a context. River logs errors as text,
// so errors.Is cannot be used.
func isCanceled(record slog.Record) bool {
	found := strings.Contains(record.Message, context.Canceled.Error())
	record.Attrs(func(a slog.Attr) bool {
		found = found || strings.Contains(a.Value.String(), context.Canceled.Error())
		return !found
	})
	return found
}

// WithAttrs implements slog.Handler.
func (h riverHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return riverHandler{h.Handler.WithAttrs(attrs), h.isStopping}
}

// WithGroup implements slog.Handler.
func (h riverHandler) WithGroup(name string) slog.Handler {
	return riverHandler{h.Handler.WithGroup(name), h.isStopping}
}

// startSpan starts the span of an attempt at a job. The parent is the span of the request
// that caused the job, in the form of W3C Trace Context. Without a tracer no span is recorded.
func (w *Worker) startSpan(ctx context.Context, parent string) (context.Context, trace.Span) {
	if w.Tracer == nil {
		return ctx, trace.SpanFromContext(ctx)
	}
	ctx = propagation.TraceContext{}.Extract(ctx, propagation.MapCarrier{"traceparent": parent})
	return w.Tracer.Start(ctx, "job", trace.WithSpanKind(trace.SpanKindConsumer))
}

// endSpan ends the span of an attempt at a job of this kind. The kind is "" if there was
// nothing to do. It does not record the error, which may quote the user's file.
func endSpan(span trace.Span, kind string, outcome Outcome) {
	if kind != "" {
		span.SetName("job " + kind)
	}
	span.SetAttributes(attribute.String("portico.job.kind", kind), attribute.String("portico.job.outcome", string(outcome)))
	if outcome == Failed || outcome == Retried {
		span.SetStatus(codes.Error, "")
	}
	span.End()
}
