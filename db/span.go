package db

import (
	"context"
	"database/sql"
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/uptrace/bun"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// spans creates a span for each statement that belongs to a trace. Background statements,
// such as the heartbeats of workers, do not belong to one. A span contains the operation
// and the table, but neither the text, into which Bun has written the arguments, nor the
// error message of Postgres, which may quote them. A nil *spans creates none.
type spans struct{ tracer trace.Tracer }

var _ bun.QueryHook = (*spans)(nil)

// stashKey is the key of a statement's span in the stash of its event.
type stashKey struct{}

// BeforeQuery implements bun.QueryHook. It returns ctx without the span: Bun uses the
// context of BEGIN for the whole transaction, whose statements are not part of BEGIN.
func (s *spans) BeforeQuery(ctx context.Context, event *bun.QueryEvent) context.Context {
	if span := s.start(ctx, event.Query); span != nil {
		event.Stash = map[any]any{stashKey{}: span}
	}
	return ctx
}

// AfterQuery implements bun.QueryHook.
func (*spans) AfterQuery(_ context.Context, event *bun.QueryEvent) {
	if span, ok := event.Stash[stashKey{}].(trace.Span); ok {
		endSpan(span, event.Err)
	}
}

// start starts the span of a statement; nil when ctx belongs to no trace.
func (s *spans) start(ctx context.Context, text string) trace.Span {
	if s == nil || !trace.SpanFromContext(ctx).IsRecording() {
		return nil
	}
	operation, table := operationAndTable(text)
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
		if code := sqlState(err); code != "" {
			span.SetAttributes(attribute.String("db.response.status_code", code))
		}
	}
	span.End()
}

// The words that operationAndTable recognises, beside the names of tables. Other words are
// never part of a span, since they may come from an argument.
var (
	operations = []string{"SELECT", "INSERT", "UPDATE", "DELETE", "WITH", "BEGIN", "COMMIT", "ROLLBACK"}
	tableForm  = regexp.MustCompile(`(?i)\b(?:FROM|INTO|UPDATE)\s+"?([a-z_]+)\b`)
)

// operationAndTable returns the operation of a statement and the first of our tables in
// it; "" for no table.
func operationAndTable(text string) (operation, table string) {
	text = strings.TrimLeft(text, " \t\r\n")
	end := strings.IndexAny(text, " \t\r\n")
	if end < 0 {
		end = len(text)
	}
	if operation = strings.ToUpper(text[:min(end, 16)]); !slices.Contains(operations, operation) {
		operation = "OTHER"
	}
	// The name comes early, even when a megabyte of JSON follows.
	for _, found := range tableForm.FindAllStringSubmatch(text[:min(len(text), 2000)], 4) {
		if isTable(found[1]) {
			return operation, found[1]
		}
	}
	return operation, ""
}

// isTable reports whether a word is the name of a table, ours or River's.
var isTable = func() func(string) bool {
	known := map[string]bool{}
	for _, r := range rights() {
		known[r.table] = true
	}
	return func(word string) bool { return known[word] }
}()

// traceParent returns the traceparent (W3C Trace Context) of the trace of ctx; "" when there
// is none.
func traceParent(ctx context.Context) string {
	carrier := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(ctx, carrier)
	return carrier.Get("traceparent")
}
