package graph_test

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/uptrace/bun/driver/pgdriver"

	"portico/auth"
	"portico/db"
	"portico/db/migrations"
	"portico/graph"
	"portico/graph/accounts"
	"portico/graph/door"
	"portico/graph/presence"
	"portico/internal/testkit/logs"
	"portico/internal/testkit/postgres"
	"portico/model"
	"portico/storage"
	"portico/storage/disk"
)

func TestMain(m *testing.M) { postgres.Main(m) }

const (
	testMaxFile   = 5000
	testQuota     = 10_000
	testThreshold = 1000 // over it a file is confirmed by a job
	webURL        = "https://spaces.example"
)

// timeout is how long a test waits for a condition.
const timeout = time.Minute

// world is the core with a database and a store, and a server in front of it.
// Of its two accounts alice is Pro, bob is not.
type world struct {
	*graph.Resolver
	options    graph.Options // of the resolver
	handler    door.HandlerOptions
	db         *db.DB
	store      storage.Store
	t          testing.TB
	url        string // of the database
	log        *logs.Buffer
	keys       *auth.Keys
	server     *httptest.Server
	door       *atomic.Pointer[http.Handler] // of the server
	alice, bob account
}

// account is a user with a key and the context of a request with that key.
type account struct {
	id, key string
	ctx     context.Context
}

func migrate(ctx context.Context, owner, application string) error {
	return migrations.Run(ctx, owner, application, slog.New(slog.DiscardHandler))
}

func newWorld(t testing.TB) *world { return serveWorld(t, door.HandlerOptions{}) }

// serveWorld is newWorld with options for the handler.
func serveWorld(t testing.TB, options door.HandlerOptions) *world {
	t.Helper()
	w := &world{t: t, door: &atomic.Pointer[http.Handler]{}, log: &logs.Buffer{}, url: postgres.URL(t, migrate)}
	logger := slog.New(slog.NewTextHandler(w.log, nil))
	database, err := db.Open(t.Context(), db.Options{URL: w.url, Connections: 4, Logger: logger})
	check(t, err)
	t.Cleanup(func() { check(t, database.Close()) })
	files, err := disk.Open(disk.Options{
		Folder: t.TempDir(), BaseURL: "https://portico.example", Secret: []byte("a secret of the tests"),
		KeepReserved: database.Uploads().ExtendReservation, AcceptStored: database.Uploads().KeepReceived,
	})
	check(t, err)
	t.Cleanup(func() { check(t, files.Close()) })
	rooms, err := presence.New(presence.Options{Interval: time.Millisecond})
	check(t, err)
	w.keys, err = auth.NewKeys(database, []byte("a secret of the tests"))
	check(t, err)
	w.db, w.store = database, files
	w.options = graph.Options{DB: database, Store: files, Keys: w.keys, Presence: rooms, Logger: logger, Settings: graph.Settings{
		WebURL: webURL, Formats: model.DefaultFormats, MaxFileSize: testMaxFile,
		AsyncThreshold: testThreshold, UploadTTL: 15 * time.Minute,
	}}
	w.handler = options
	w.handler.Keys = w.keys
	w.server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) { (*w.door.Load()).ServeHTTP(rw, r) }))
	t.Cleanup(w.server.Close)
	w.assemble()
	w.alice = w.account(w.keys, "alice@example.com", model.PlanPro)
	w.bob = w.account(w.keys, "bob@example.com", model.PlanFree)
	return w
}

// assemble makes a resolver of the options, and lets the server use it.
func (w *world) assemble() {
	w.Resolver = graph.New(w.options)
	w.handler.Resolver = w.Resolver
	handler := door.NewHandler(w.handler)
	w.door.Store(&handler)
}

// useDB replaces the database of the resolver.
func (w *world) useDB(database *db.DB) {
	w.options.DB, w.db = database, database
	w.assemble()
}

// useStore replaces the store of the resolver.
func (w *world) useStore(store storage.Store) {
	w.options.Store, w.store = store, store
	w.assemble()
}

// useAccounts replaces what checks and changes how people sign in.
func (w *world) useAccounts(registry accounts.Registry) {
	w.options.Accounts = registry
	w.assemble()
}

func (w *world) account(keys *auth.Keys, email string, plan model.Plan) account {
	w.t.Helper()
	in := model.CreateUser{Email: email, Name: strings.Split(email, "@")[0], Plan: plan, Quota: testQuota}
	check(w.t, in.Validate())
	user, err := w.db.Accounts().CreateUser(w.t.Context(), in)
	check(w.t, err)
	key, err := keys.EnsureKey(w.t.Context(), user.ID)
	check(w.t, err)
	return account{id: user.ID, key: key, ctx: w.as(user.ID)}
}

// as returns the context of a request of the account.
func (w *world) as(userID string) context.Context {
	return model.WithCaller(w.t.Context(), &model.Caller{UserID: userID, KeyID: "key of " + userID})
}

// exec executes a statement for which package db has no method.
func (w *world) exec(statement string, args ...any) {
	w.t.Helper()
	direct := sql.OpenDB(pgdriver.NewConnector(pgdriver.WithDSN(postgres.AdminURL(w.t, w.url))))
	_, err := direct.ExecContext(w.t.Context(), statement, args...)
	check(w.t, errors.Join(err, direct.Close()))
}

// scan reads the first column of the only row of a query for which package db has no method.
func (w *world) scan(into any, query string) {
	w.t.Helper()
	direct := sql.OpenDB(pgdriver.NewConnector(pgdriver.WithDSN(postgres.AdminURL(w.t, w.url))))
	err := direct.QueryRowContext(w.t.Context(), query).Scan(into)
	check(w.t, errors.Join(err, direct.Close()))
}

// makeRoom gives every account enough storage for the JSON of any test.
func (w *world) makeRoom() {
	w.t.Helper()
	w.exec("UPDATE users SET quota = 1 << 30")
}

// cutListener ends the connection on which announcements arrive.
func (w *world) cutListener() {
	w.t.Helper()
	w.exec(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
		WHERE datname = current_database() AND query LIKE 'LISTEN%'`)
}

// upload creates an upload, sends its bytes, and returns its address.
func (w *world) upload(who account, name string, size int64) string {
	w.t.Helper()
	address := w.reserved(who, name, size)
	w.send(address, size)
	return address
}

// reserved returns the address of an upload whose bytes are not sent.
func (w *world) reserved(who account, name string, size int64) string {
	w.t.Helper()
	params, err := w.Mutation().CreateUpload(who.ctx, createUpload(name, size))
	check(w.t, err)
	address, _, _ := strings.Cut(params.URL, "?")
	return address
}

// send stores bytes as a presigned PUT does.
func (w *world) send(address string, size int64) {
	w.t.Helper()
	key, ok := w.store.KeyOf(address)
	if !ok {
		w.t.Fatalf("KeyOf(%q): got false, want a key", address)
	}
	_, err := w.store.Put(w.t.Context(), key, io.LimitReader(zeros{}, size))
	check(w.t, err)
}

// zeros is an endless reader.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// file uploads and confirms a file.
func (w *world) file(who account, name string) *model.File {
	w.t.Helper()
	confirmation, err := w.complete(who, w.upload(who, name, 10))
	check(w.t, err)
	if confirmation.File == nil {
		w.t.Fatalf("confirmation of %s: got no file, want one", name)
	}
	return confirmation.File
}

// job uploads and confirms a zip.
func (w *world) job(who account) *model.Job {
	w.t.Helper()
	confirmation, err := w.complete(who, w.upload(who, "scene.zip", 10))
	check(w.t, err)
	if confirmation.Job == nil {
		w.t.Fatal("confirmation of a zip: got no job, want one")
	}
	return confirmation.Job
}

func (w *world) complete(who account, address string) (*model.Confirmation, error) {
	return w.Mutation().CompleteUpload(who.ctx, model.CompleteUpload{Status: "success", FileURL: address})
}

func (w *world) space(who account, kind model.SpaceType) *model.Space {
	w.t.Helper()
	space, err := w.Mutation().CreateSpace(who.ctx, model.CreateSpace{Type: &kind})
	check(w.t, err)
	return space
}

// entity reads an entity of the space as its owner.
func (w *world) entity(space *model.Space, id string) *model.Entity {
	w.t.Helper()
	entity, err := w.Query().Entity(w.as(space.OwnerID), space.ID, id)
	check(w.t, err)
	return entity
}

func (w *world) storage(who account) model.Storage {
	w.t.Helper()
	got, err := w.Storage(who.ctx, who.id)
	check(w.t, err)
	return *got
}

func createUpload(name string, size int64) model.CreateUpload {
	return model.CreateUpload{FileName: name, FileSize: model.FileSize(size), ContentType: "model/gltf-binary"}
}

// ask sends a request to the server with the account's key, if it has one.
func (w *world) ask(who account, body string) (status int, response string) {
	w.t.Helper()
	request, err := http.NewRequestWithContext(w.t.Context(), http.MethodPost, w.server.URL, strings.NewReader(body))
	check(w.t, err)
	request.Header.Set("Content-Type", "application/json")
	if who.key != "" {
		request.Header.Set("Authorization", "Bearer "+who.key)
	}
	return w.do(request)
}

func (w *world) do(request *http.Request) (status int, body string) {
	w.t.Helper()
	response, err := w.server.Client().Do(request)
	check(w.t, err)
	defer func() { _ = response.Body.Close() }() // read to its end
	content, err := io.ReadAll(response.Body)
	check(w.t, err)
	return response.StatusCode, strings.TrimSpace(string(content))
}
