package db

import (
	"context"
	"database/sql"
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/driver/pgdriver"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// spans makes a span of each statement that belongs to a trace; what runs by
// itself, such as the signs of life of workers, belongs to none. A span tells the
// operation and the table: never the text, into which Bun has written the
// arguments, and never Postgres' message, which may quote them. A nil *spans
// makes none.
type spans struct{ tracer trace.Tracer }

var _ bun.QueryHook = (*spans)(nil)

// spanInStash is where the span of a statement waits for its end.
type spanInStash struct{}

// BeforeQuery implements bun.QueryHook. The context stays as it is: that of BEGIN
// becomes the transaction's, whose COMMIT is no part of BEGIN.
func (s *spans) BeforeQuery(ctx context.Context, event *bun.QueryEvent) context.Context {
	if span := s.begin(ctx, event.Query); span != nil {
		event.Stash = map[any]any{spanInStash{}: span}
	}
	return ctx
}

// AfterQuery implements bun.QueryHook.
func (*spans) AfterQuery(_ context.Context, event *bun.QueryEvent) {
	if span, ok := event.Stash[spanInStash{}].(trace.Span); ok {
		endSpan(span, event.Err)
	}
}

// begin begins the span of a statement; nil where ctx is in no trace.
func (s *spans) begin(ctx context.Context, text string) trace.Span {
	if s == nil || !trace.SpanFromContext(ctx).IsRecording() {
		return nil
	}
	operation, table := subject(text)
	attributes := []attribute.KeyValue{attribute.String("db.system.name", "postgresql"), attribute.String("db.operation.name", operation)}
	name := operation
	if table != "" {
		name += " " + table
		attributes = append(attributes, attribute.String("db.collection.name", table))
	}
	_, span := s.tracer.Start(ctx, name, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(attributes...))
	return span
}

// endSpan ends the span of a statement that ended with err.
func endSpan(span trace.Span, err error) {
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		span.SetStatus(codes.Error, "")
		if pg, ok := errors.AsType[pgdriver.Error](err); ok {
			span.SetAttributes(attribute.String("db.response.status_code", pg.Field('C')))
		}
	}
	span.End()
}

// The words that subject knows; whatever else a statement has in their places is
// told to nobody, since it may be a part of an argument.
var (
	operations = []string{"SELECT", "INSERT", "UPDATE", "DELETE", "WITH", "BEGIN", "COMMIT", "ROLLBACK"}
	tables     = []string{
		"api_keys", "audit_events", "entities", "files", "follows", "identities", "jobs", "json_usage", "notifications",
		"oauth_clients", "oauth_codes", "oauth_consents", "removals", "river_job", "sessions", "spaces", "unproven_emails",
		"uploads", "users", "visits",
	}
	tableForm = regexp.MustCompile(`(?i)\b(?:FROM|INTO|UPDATE)\s+"?([a-z_]+)\b`)
)

// subject returns what a statement does and the first table of ours that it does
// it to, or "".
func subject(text string) (operation, table string) {
	text = strings.TrimLeft(text, " \t\r\n")
	end := strings.IndexAny(text, " \t\r\n")
	if end < 0 {
		end = len(text)
	}
	if operation = strings.ToUpper(text[:min(end, 16)]); !slices.Contains(operations, operation) {
		operation = "OTHER"
	}
	// The name comes early, also where a document of a megabyte follows.
	for _, found := range tableForm.FindAllStringSubmatch(text[:min(len(text), 2000)], 4) {
		if slices.Contains(tables, found[1]) {
			return operation, found[1]
		}
	}
	return operation, ""
}

// traceParent returns the traceparent (W3C Trace Context) by which others go on
// with the trace of ctx; "" where there is none.
func traceParent(ctx context.Context) string {
	carrier := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(ctx, carrier)
	return carrier.Get("traceparent")
}
