package live

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/uptrace/bun/driver/pgdriver"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"portico/db"
	"portico/graph/access"
	"portico/internal/testkit/postgres"
	"portico/internal/testkit/postgres/testdb"
	"portico/model"
)

func TestMain(m *testing.M) { postgres.Main(m) }

// timeout is how long a test waits for a condition.
const timeout = time.Minute

// world is the subscriptions of a database with two accounts.
type world struct {
	*Service
	t          testing.TB
	url        string // of the database
	alice, bob string // ids
}

func newWorld(t testing.TB) *world {
	t.Helper()
	database, url := testdb.OpenURL(t)
	return worldOf(t, database, url)
}

// tracedWorld is newWorld with a recorder of the statements that belong to a trace.
func tracedWorld(t testing.TB) (*world, *tracetest.SpanRecorder) {
	t.Helper()
	recorder := tracetest.NewSpanRecorder()
	tracer := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder)).Tracer("test")
	url := postgres.URL(t, testdb.Migrate)
	traced, err := db.Open(t.Context(), db.Options{URL: url, Connections: 4, Logger: slog.New(slog.DiscardHandler), Tracer: tracer})
	check(t, err)
	t.Cleanup(func() { check(t, traced.Close()) })
	return worldOf(t, traced, url), recorder
}

func worldOf(t testing.TB, database *db.DB, url string) *world {
	t.Helper()
	service := New(Parts{Access: access.NewRules(database, nil, nil, ""), DB: database, Logger: slog.New(slog.DiscardHandler)})
	t.Cleanup(service.Close)
	const room = 1 << 30
	return &world{
		Service: service, t: t, url: url, alice: testdb.User(t, database, room).ID, bob: testdb.User(t, database, room).ID,
	}
}

// as returns the context of a request of the account.
func as(ctx context.Context, id string) context.Context {
	return model.WithCaller(ctx, &model.Caller{UserID: id})
}

// exec executes a statement for which package db has no method.
func (w *world) exec(statement string) {
	w.t.Helper()
	direct := sql.OpenDB(pgdriver.NewConnector(pgdriver.WithDSN(postgres.AdminURL(w.t, w.url))))
	_, err := direct.ExecContext(w.t.Context(), statement)
	check(w.t, errors.Join(err, direct.Close()))
}

// publicSpace adds a Public space of alice with one entity, of which her followers learn.
func (w *world) publicSpace() *model.Space {
	w.t.Helper()
	space, ctx, public := model.NewSpace(w.alice, model.CreateSpace{}, nil), w.t.Context(), model.Public
	check(w.t, w.db.Spaces().AddSpace(ctx, space, []*model.Entity{model.NewEntity(space.ID, "floor", "", nil)}))
	_, err := w.db.Spaces().UpdateSpacePrivacy(ctx, model.UpdateSpace{SpaceID: space.ID, Privacy: &public}, true)
	check(w.t, err)
	return space
}

// create adds an entity to the space.
func (w *world) create(space *model.Space, id, data string) {
	w.t.Helper()
	added, err := w.db.Entities().AddEntity(w.t.Context(), model.NewEntity(space.ID, id, "", model.Object(data)))
	check(w.t, err)
	equal(w.t, "added "+id, added, true)
}

// watchSpace follows the space, and receives the snapshot.
func (w *world) watchSpace(ctx context.Context, id string, space *model.Space) <-chan model.SpaceEvent {
	w.t.Helper()
	events, err := w.Space(as(ctx, id), space.ID)
	check(w.t, err)
	if event, _ := receive(w.t, events); event.EventType() != "SpaceSnapshot" {
		w.t.Fatalf("first event: got %s, want a snapshot", event.EventType())
	}
	return events
}

// created receives the event of a creation, and returns the entity.
func created(t testing.TB, events <-chan model.SpaceEvent) *model.Entity {
	t.Helper()
	event, _ := receive(t, events)
	found, ok := event.(*model.EntityCreated)
	if !ok {
		t.Fatalf("event: got %T, want a creation", event)
	}
	return found.Entity
}

// job starts a job of alice's.
func (w *world) job() *model.Job {
	w.t.Helper()
	ctx := w.t.Context()
	upload := model.NewUpload(w.alice, model.CreateUpload{FileName: "a.zip", FileSize: 10, ContentType: "application/zip"})
	upload.ExpiresAt = model.Time{Time: model.Now().Add(time.Hour)}
	check(w.t, w.db.Uploads().AddUpload(ctx, upload))
	job := model.NewJob(upload)
	_, err := w.db.Uploads().StartUpload(ctx, upload.ID, job.ID)
	check(w.t, err)
	check(w.t, w.db.Jobs().AddJob(ctx, job))
	return job
}

// report reports a step of the job, as a worker does.
func (w *world) report(job *model.Job, step int) {
	w.t.Helper()
	current, err := w.db.Jobs().ReportJob(w.t.Context(), job.ID, job.Attempt, float64(step), model.JobStep{
		Name: model.JobExtractingZip, Done: int64(step), Total: changes,
	})
	check(w.t, err)
	equal(w.t, "current", current, true)
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// equal compares two values.
func equal[T comparable](t testing.TB, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// receive waits for a value, and reports whether it came before the channel was closed.
func receive[T any](t testing.TB, from <-chan T) (value T, open bool) {
	t.Helper()
	select {
	case value, open = <-from:
	case <-time.After(timeout):
		t.Fatalf("got nothing within %v", timeout)
	}
	return value, open
}

// eventually waits until the condition holds, for conditions that have no signal.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	tick, end := time.NewTicker(time.Millisecond), time.After(timeout)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-end:
			t.Fatalf("%s: not within %v", what, timeout)
		}
	}
}

// text returns JSON, as the database writes it, with a text of almost a megabyte.
func text() string { return `{"text": "` + strings.Repeat("x", 900_000) + `"}` }
