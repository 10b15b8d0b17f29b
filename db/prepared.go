package db

import (
	"context"
	"database/sql"
	"errors"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/uptrace/bun"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"portico/db/dial"
	"portico/db/migrations"
)

// prepared keeps the statements of the most frequent requests, which each connection parses and
// plans once. Bun writes the arguments into the text, so Postgres plans every statement of Bun each
// time. Prepared statements name their columns: SELECT * would fail after a migration adds a
// column.
//
// database/sql prepares a statement again on each connection that runs it, and drops it with the
// connection. The texts are fixed in this package, so byText stays small.
type prepared struct {
	pool       *sql.DB
	slots      *connectionSlots
	byText     sync.Map // the text of a statement to its *sql.Stmt
	unprepared sync.Map // the texts that only transactions have run; prepareMissed prepares them
	// observe is called with the text of every statement. For tests: these statements do
	// not pass through the hooks of Bun.
	observe func(text string)
	spans   *spans // nil for no spans

	spaceOnce sync.Once
	spaceText string // of spaceByID
}

// statement returns the prepared statement of a text, which it prepares once for the process.
func (p *prepared) statement(ctx context.Context, text string) (*sql.Stmt, error) {
	if known, ok := p.byText.Load(text); ok {
		return known.(*sql.Stmt), nil
	}
	fresh, err := p.pool.PrepareContext(ctx, text)
	if err != nil {
		return nil, err
	}
	// If two goroutines prepare the same statement concurrently, the first one is kept.
	known, loaded := p.byText.LoadOrStore(text, fresh)
	if loaded {
		return known.(*sql.Stmt), fresh.Close() //nolint:sqlclosecheck // the shared statement stays open
	}
	return fresh, nil
}

// prepareMissed prepares the statements that transactions have run and that were not prepared.
// Without it, each transaction would prepare them again. An error is left to the statement itself:
// the text is added again when a transaction runs it the next time, so one text that Postgres
// refuses costs one later transaction a round trip, and not each of them.
func (p *prepared) prepareMissed(ctx context.Context) {
	p.unprepared.Range(func(text, _ any) bool {
		p.unprepared.Delete(text)
		_, err := p.statement(ctx, text.(string)) //nolint:sqlclosecheck // the shared statement stays open
		return err == nil
	})
}

// inTx returns the prepared statement of a text for a transaction.
//
// A text that is not prepared yet is prepared for the transaction alone, on its connection: on
// another one, transactions that have all connections would wait for each other. Such statements
// are in own, by text, so that the transaction prepares each text once.
func (p *prepared) inTx(ctx context.Context, tx *sql.Tx, own map[string]*sql.Stmt, text string) (*sql.Stmt, error) {
	if known, ok := own[text]; ok {
		return known, nil
	}
	if known, ok := p.byText.Load(text); ok {
		return tx.StmtContext(ctx, known.(*sql.Stmt)), nil // it ends with the transaction
	}
	p.unprepared.Store(text, true)
	fresh, err := tx.PrepareContext(ctx, text)
	if err == nil {
		own[text] = fresh
	}
	return fresh, err
}

// query runs a prepared statement, in the transaction if db is one.
//
// database/sql gives the statement a connection of the pool, or of the transaction.
func (db *DB) query(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	if db.prepared.observe != nil {
		db.prepared.observe(text)
	}
	var statement *sql.Stmt
	var err error
	if tx, ok := db.idb.(bun.Tx); ok {
		statement, err = db.prepared.inTx(ctx, tx.Tx, db.ownStatements, text)
	} else {
		statement, err = db.prepared.statement(ctx, text)
	}
	if err != nil {
		return nil, err
	}
	return statement.QueryContext(dial.QueryContext(ctx), args...)
}

// rows runs a prepared statement and calls scan for each row. The slot is taken before a
// connection, so a statement that waits holds none.
func (db *DB) rows(ctx context.Context, scan func(*sql.Rows) error, text string, args ...any) (err error) {
	if span := db.prepared.spans.start(ctx, text); span != nil {
		defer func() { endSpan(span, err) }()
	}
	if db.afterCommit == nil { // a transaction has a connection
		if err := db.prepared.slots.take(ctx); err != nil {
			return err
		}
		defer db.prepared.slots.release()
	}
	found, err := db.query(ctx, text, args...)
	if err != nil {
		return translate(err)
	}
	defer func() { _ = found.Close() }() // Err below returns the error
	for found.Next() {
		if err := scan(found); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return translate(found.Err())
}

// connectionSlots lets as many prepared statements run as there are connections, in the order in
// which they came. database/sql gives a free connection to a random waiting statement, so with more
// requests than connections some would wait many times as long as others.
type connectionSlots struct {
	taken  chan struct{} // goroutines that wait to send are served in order
	waits  atomic.Int64
	waited atomic.Int64 // nanoseconds
}

func newConnectionSlots(connections int) *connectionSlots {
	return &connectionSlots{taken: make(chan struct{}, connections)}
}

// take waits until fewer statements run than there are connections, or until ctx ends. The caller
// releases the slot.
func (s *connectionSlots) take(ctx context.Context) error {
	select {
	case s.taken <- struct{}{}:
		return nil
	default:
	}
	s.waits.Add(1)
	start := time.Now()
	defer func() { s.waited.Add(int64(time.Since(start))) }()
	select {
	case s.taken <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *connectionSlots) release() { <-s.taken }

// addTo adds the waits for a slot to the waits for a connection.
func (s *connectionSlots) addTo(stats *sql.DBStats) {
	stats.WaitCount += s.waits.Load()
	stats.WaitDuration += time.Duration(s.waited.Load())
}

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
		if code := dial.SQLState(err); code != "" {
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
	for _, r := range migrations.Rights() {
		known[r.Table] = true
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
