package worker

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

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
