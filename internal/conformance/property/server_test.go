package property

import (
	"bytes"
	"database/sql"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/uptrace/bun/driver/pgdriver"

	"portico/auth"
	"portico/db"
	"portico/graph"
	"portico/graph/door"
	"portico/internal/cors"
	"portico/internal/testkit/postgres"
	"portico/internal/testkit/postgres/testdb"
	"portico/model"
	"portico/rest"
	"portico/storage/disk"
)

func TestMain(m *testing.M) { postgres.Main(m) }

const (
	base      = "http://portico.test"
	webURL    = "https://spaces.test"
	maxFile   = 5000 // the maximum size of a file, in bytes
	uploadTTL = 15 * time.Minute
)

// server serves REST, GraphQL and files without a network: a fuzz test sends thousands of
// requests a second, among them requests that no client of net/http can send. Tests share
// one server, because each uses its own accounts.
type server struct {
	http.Handler
	db   *db.DB
	sql  *sql.DB // connections to the same database, for statements of tests
	keys *auth.Keys
	log  *journal
}

type account struct{ id, email, key string }

// journal keeps the warnings and errors that the server logs.
type journal struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// Write implements io.Writer.
func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.b.Write(p)
}

// take returns what was logged since the last call.
func (j *journal) take() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	defer j.b.Reset()
	return j.b.String()
}

func newServer(tb testing.TB) *server {
	tb.Helper()
	database, url := testdb.OpenURL(tb)
	s := &server{db: database, sql: sql.OpenDB(pgdriver.NewConnector(pgdriver.WithDSN(url))), log: &journal{}}
	tb.Cleanup(func() { check(tb, s.sql.Close()) })
	logger := slog.New(slog.NewTextHandler(s.log, &slog.HandlerOptions{Level: slog.LevelWarn}))
	secret := []byte("0123456789abcdef")
	store, err := disk.Open(disk.Options{
		Folder: tb.TempDir(), BaseURL: base, Secret: secret, Logger: logger,
		KeepReserved: s.db.Uploads().ExtendReservation, AcceptStored: s.db.Uploads().KeepReceived,
	})
	check(tb, err)
	tb.Cleanup(func() { check(tb, store.Close()) })
	s.keys, err = auth.NewKeys(s.db, secret)
	check(tb, err)
	resolver := graph.New(graph.Options{DB: s.db, Store: store, Logger: logger, Settings: graph.Settings{
		WebURL: webURL, Formats: model.DefaultFormats, MaxFileSize: maxFile, AsyncThreshold: maxFile, UploadTTL: uploadTTL,
	}})
	api := rest.New(rest.Options{Resolver: resolver, Keys: s.keys, BaseURL: base, Logger: logger})
	graphQL := cors.API().Handler(door.NewHandler(door.HandlerOptions{Resolver: resolver, Keys: s.keys}))
	s.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch path := r.URL.Path; {
		case strings.HasPrefix(path, "/files/"):
			store.ServeHTTP(w, r)
		case strings.Trim(path, "/") == "graphql":
			graphQL.ServeHTTP(w, r)
		default:
			api.ServeHTTP(w, r)
		}
	})
	return s
}

// account creates an account, whose email address starts with the name.
func (s *server) account(tb testing.TB, name string, plan model.Plan, quota int64) account {
	tb.Helper()
	in := model.CreateUser{Email: name + strings.ToLower(model.Token()) + "@example.com", Name: "somebody", Plan: plan, Quota: quota}
	check(tb, in.Validate())
	user, err := s.db.Accounts().CreateUser(tb.Context(), in)
	check(tb, err)
	key, err := s.keys.EnsureKey(tb.Context(), user.ID)
	check(tb, err)
	return account{id: user.ID, email: in.Email, key: key}
}

type response struct {
	status int
	header http.Header
	body   string
}

// call sends a request with the account's key; target is a path with its query.
func (s *server) call(who account, method, target, body string) response {
	request := httptest.NewRequest(method, target, strings.NewReader(body))
	request.Header.Set("Authorization", "Bearer "+who.key)
	request.Header.Set("Content-Type", "application/json")
	return s.send(request)
}

func (s *server) send(request *http.Request) response {
	recorder := httptest.NewRecorder()
	s.ServeHTTP(recorder, request)
	return response{recorder.Code, recorder.Header(), recorder.Body.String()}
}

var moment = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`)

func check(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
