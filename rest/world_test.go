package rest

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/uptrace/bun/driver/pgdriver"

	"portico/auth"
	"portico/db"
	"portico/db/migrations"
	"portico/graph"
	"portico/internal/testkit/logs"
	"portico/internal/testkit/postgres"
	"portico/model"
	"portico/storage/disk"
)

func TestMain(m *testing.M) { postgres.MainWithoutLeaks(m) }

const (
	testMaxFile   = 5000
	testQuota     = 10_000
	testThreshold = 1000 // over it a file is confirmed by a job
	testMaxBody   = 4096
	webURL        = "https://spaces.example"
)

// world is a server with two accounts: alice is Pro, bob is not.
type world struct {
	t          *testing.T
	base       string
	url        string // of the database
	db         *db.DB
	resolver   *graph.Resolver
	log        *logs.Buffer
	alice, bob account
	tempFolder string // of the bodies of change sets
}

type account struct {
	id, email, key string
}

func migrate(ctx context.Context, owner, application string) error {
	return migrations.Run(ctx, owner, application, slog.New(slog.DiscardHandler))
}

// newWorld serves the real door over the real core, database and store.
func newWorld(t *testing.T) *world {
	t.Helper()
	return serveWorld(t, func(*Options) {})
}

// serveWorld is newWorld with options of the door that the test changes. Limits are off unless
// it sets a Limiter.
func serveWorld(t *testing.T, change func(*Options)) *world {
	t.Helper()
	return serveCore(t, func(*graph.Options) {}, change)
}

// serveCore is serveWorld with options of the core that the test changes.
func serveCore(t *testing.T, changeCore func(*graph.Options), change func(*Options)) *world {
	t.Helper()
	w := &world{t: t, log: &logs.Buffer{}, tempFolder: t.TempDir()}
	logger := slog.New(slog.NewJSONHandler(w.log, nil))
	server := httptest.NewUnstartedServer(nil)
	w.base = "http://" + server.Listener.Addr().String()
	w.openDB(logger)
	secret := []byte("0123456789abcdef")
	files, err := disk.Open(disk.Options{
		Folder: t.TempDir(), BaseURL: w.base, Secret: secret, KeepReserved: w.db.Uploads().ExtendReservation, AcceptStored: w.db.Uploads().KeepReceived,
	})
	check(t, err)
	keys, err := auth.NewKeys(w.db, secret)
	check(t, err)
	core := graph.Options{DB: w.db, Store: files, Logger: logger, Settings: graph.Settings{
		WebURL: webURL, Formats: model.DefaultFormats, MaxFileSize: testMaxFile,
		AsyncThreshold: testThreshold, UploadTTL: time.Minute,
	}}
	changeCore(&core)
	w.resolver = graph.New(core)
	options := Options{Resolver: w.resolver, Keys: keys, BaseURL: w.base, Logger: logger, MaxBody: testMaxBody, TempFolder: w.tempFolder}
	change(&options)
	door := New(options)
	server.Config.Handler = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/files/") {
			files.ServeHTTP(rw, r)
			return
		}
		door.ServeHTTP(rw, r)
	})
	server.Start()
	t.Cleanup(func() {
		server.Close()
		check(t, files.Close())
	})
	w.alice = w.account(keys, "alice@example.com", model.PlanPro)
	w.bob = w.account(keys, "bob@example.com", model.PlanFree)
	return w
}

func (w *world) openDB(logger *slog.Logger) {
	w.t.Helper()
	w.url = postgres.URL(w.t, migrate)
	var err error
	w.db, err = db.Open(w.t.Context(), db.Options{URL: w.url, Connections: 4, Logger: logger})
	check(w.t, err)
	w.t.Cleanup(func() { check(w.t, w.db.Close()) })
}

// exec executes a statement for which package db has no method.
func (w *world) exec(statement string, args ...any) {
	w.t.Helper()
	direct := sql.OpenDB(pgdriver.NewConnector(pgdriver.WithDSN(postgres.AdminURL(w.t, w.url))))
	_, err := direct.ExecContext(w.t.Context(), statement, args...)
	check(w.t, errors.Join(err, direct.Close()))
}

// makeRoom gives every account enough storage for the JSON of any test.
func (w *world) makeRoom() {
	w.t.Helper()
	w.exec("UPDATE users SET quota = 1 << 30")
}

func (w *world) account(keys *auth.Keys, email string, plan model.Plan) account {
	w.t.Helper()
	in := model.CreateUser{Email: email, Name: strings.Split(email, "@")[0], Plan: plan, Quota: testQuota}
	check(w.t, in.Validate())
	user, err := w.db.Accounts().CreateUser(w.t.Context(), in)
	check(w.t, err)
	key, err := keys.EnsureKey(w.t.Context(), user.ID)
	check(w.t, err)
	return account{id: user.ID, email: email, key: key}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// call sends a request with the account's key and, unless empty, a body.
func (w *world) call(who account, method, path, body string) response {
	w.t.Helper()
	request, err := http.NewRequestWithContext(w.t.Context(), method, w.base+path, strings.NewReader(body))
	check(w.t, err)
	request.Header.Set("Authorization", "Bearer "+who.key)
	return w.send(request)
}

func (w *world) send(request *http.Request) response {
	w.t.Helper()
	// A redirect would be a response of ours, and wrong.
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	got, err := client.Do(request)
	check(w.t, err)
	defer func() { _ = got.Body.Close() }() // read to its end
	body, err := io.ReadAll(got.Body)
	check(w.t, err)
	return response{t: w.t, status: got.StatusCode, header: got.Header, body: strings.TrimSuffix(string(body), "\n")}
}

// space makes a space of the account and returns its id.
func (w *world) space(who account, body string) string {
	w.t.Helper()
	return read[struct{ SpaceID string }](w.call(who, "POST", "/v1/spaces", quotes(body)), 201).SpaceID
}

// upload sends a file all the way and returns its resource key and address.
func (w *world) upload(who account, name, content string) (key, address string) {
	w.t.Helper()
	confirmed := read[struct {
		ResourceKey string `json:"resource_key"`
		URL         string
	}](w.call(who, "POST", "/v1/files/upload-complete", completion(w.sendFile(who, name, content))), 200)
	return confirmed.ResourceKey, confirmed.URL
}

// sendFile promises and sends a file, and returns its address without the query.
func (w *world) sendFile(who account, name, content string) string {
	w.t.Helper()
	asked := map[string]any{"file_name": name, "file_size": len(content), "content_type": "application/zip"}
	body, err := json.Marshal(asked)
	check(w.t, err)
	params := read[struct {
		Params struct {
			URL, Method string
			Headers     map[string]string
		}
	}](w.call(who, "POST", "/v1/files/upload", string(body)), 200).Params
	request, err := http.NewRequestWithContext(w.t.Context(), params.Method, params.URL, strings.NewReader(content))
	check(w.t, err)
	for name, value := range params.Headers {
		request.Header.Set(name, value)
	}
	if got := w.send(request); got.status/100 != 2 {
		w.t.Fatalf("presigned PUT: got %d, want 2xx; body %s", got.status, got.body)
	}
	address, _, _ := strings.Cut(params.URL, "?")
	return address
}

func completion(address string) string {
	return `{"status":"success","extra_info":{"file_url":"` + address + `"}}`
}
