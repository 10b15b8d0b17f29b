package contract

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
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
	"portico/graph"
	"portico/internal/testkit/postgres"
	"portico/internal/testkit/postgres/testdb"
	"portico/limit"
	"portico/model"
	"portico/rest"
	"portico/storage/disk"
	"portico/worker"
)

func TestMain(m *testing.M) { postgres.Main(m) }

// webURL is the base of space addresses in every scenario.
const webURL = "https://spaces.example"

// world is a server with default settings and two accounts: alice is Pro, bob is not. It is
// wired here and not by package world, because scenarios about expiry and rate limits set
// the clock, and the program has no setting for its clock.
type world struct {
	t          *testing.T
	contract   contract
	base       string
	db         *db.DB
	url        string // of the database
	store      *disk.Store
	later      atomic.Int64 // how far the clocks of uploads and limits are ahead
	alice, bob account
}

type account struct{ id, email, key string }

// settings are the settings that a scenario may change. Zero means the default.
type settings struct {
	asyncThreshold int64
	maxBody        int64
	// limited turns rate limits on. Their clock is stopped, so that waits are exact.
	limited bool
}

// newWorld starts a server of REST and files with a real database and store.
func newWorld(t *testing.T, s settings) *world {
	t.Helper()
	w := &world{t: t, contract: newContract(t)}
	w.db, w.url = testdb.OpenURL(t)
	server := httptest.NewUnstartedServer(nil)
	w.base = "http://" + server.Listener.Addr().String()
	secret := []byte("0123456789abcdef")
	var err error
	w.store, err = disk.Open(disk.Options{
		Folder: t.TempDir(), BaseURL: w.base, Secret: secret, KeepReserved: w.db.Uploads().ExtendReservation, AcceptStored: w.db.Uploads().KeepReceived,
		Now: func() time.Time { return time.Now().Add(time.Duration(w.later.Load())) },
	})
	check(t, err)
	keys, err := auth.NewKeys(w.db, secret)
	check(t, err)
	server.Config.Handler = w.handler(keys, s)
	server.Start()
	t.Cleanup(func() {
		server.Close()
		check(t, w.store.Close())
	})
	w.alice = w.account(keys, "alice@example.com", model.PlanPro)
	w.bob = w.account(keys, "bob@example.com", model.PlanFree)
	return w
}

// handler returns the handler of the API and of files.
func (w *world) handler(keys *auth.Keys, s settings) http.Handler {
	quiet := slog.New(slog.DiscardHandler)
	if s.asyncThreshold == 0 {
		s.asyncThreshold = 3 << 29
	}
	resolver := graph.New(graph.Options{DB: w.db, Store: w.store, Logger: quiet, Settings: graph.Settings{
		WebURL: webURL, Formats: model.DefaultFormats, MaxFileSize: 20_000_000_000,
		AsyncThreshold: s.asyncThreshold, UploadTTL: 15 * time.Minute,
	}})
	var limiter *limit.Limiter
	if s.limited {
		var err error
		limiter, err = limit.New(limit.Options{Now: func() time.Time { return time.Unix(1_769_506_200, 0).Add(time.Duration(w.later.Load())) }})
		check(w.t, err)
		w.t.Cleanup(func() { check(w.t, limiter.Close()) })
	}
	api := rest.New(rest.Options{
		Resolver: resolver, Keys: keys, Limiter: limiter, BaseURL: w.base, Logger: quiet, MaxBody: s.maxBody,
	})
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/files/") {
			w.store.ServeHTTP(rw, r)
			return
		}
		api.ServeHTTP(rw, r)
	})
}

// startWorker runs jobs until the test ends.
func (w *world) startWorker() {
	w.t.Helper()
	running, err := worker.Start(w.t.Context(), worker.Options{
		DB: w.db, Store: w.store, Jobs: 1, JobRetention: time.Hour, Logger: slog.New(slog.DiscardHandler),
	})
	check(w.t, err)
	w.t.Cleanup(func() { check(w.t, running.Stop(context.Background())) })
}

// exec executes a statement as the superuser, for states that no request can create.
func (w *world) exec(statement string, args ...any) {
	w.t.Helper()
	direct := sql.OpenDB(pgdriver.NewConnector(pgdriver.WithDSN(postgres.AdminURL(w.t, w.url))))
	_, err := direct.ExecContext(w.t.Context(), statement, args...)
	check(w.t, errors.Join(err, direct.Close()))
}

func (w *world) account(keys *auth.Keys, email string, plan model.Plan) account {
	w.t.Helper()
	in := model.CreateUser{Email: email, Name: strings.Split(email, "@")[0], Plan: plan, Quota: 10_000_000_000}
	check(w.t, in.Validate())
	user, err := w.db.Accounts().CreateUser(w.t.Context(), in)
	check(w.t, err)
	key, err := keys.EnsureKey(w.t.Context(), user.ID)
	check(w.t, err)
	return account{id: user.ID, email: email, key: key}
}

// call returns a request of the account, with its key unless it has none. For legibility,
// scenarios write ' for " in bodies.
func (w *world) call(who account, method, path, body string) *http.Request {
	w.t.Helper()
	body = strings.ReplaceAll(body, "'", `"`)
	request := w.request(method, w.base+path, body)
	if who.key != "" {
		request.Header.Set("Authorization", "Bearer "+who.key)
	}
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	return request
}

// request returns a request to any address, without a key.
func (w *world) request(method, address, body string) *http.Request {
	w.t.Helper()
	request, err := http.NewRequestWithContext(w.t.Context(), method, address, strings.NewReader(body))
	check(w.t, err)
	return request
}

// response is what the server sent, with its whole body.
type response struct {
	status int
	header http.Header
	body   []byte
}

func (w *world) send(t *testing.T, request *http.Request) response {
	t.Helper()
	// The API never redirects, so a redirect must show as a wrong status.
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	got, err := client.Do(request)
	check(t, err)
	defer func() { _ = got.Body.Close() }() // read to its end
	body, err := io.ReadAll(got.Body)
	check(t, err)
	return response{status: got.StatusCode, header: got.Header, body: bytes.TrimSuffix(body, []byte("\n"))}
}

// data returns the text at a path of field names in the data of the response.
func (r response) data(t *testing.T, names ...string) string {
	t.Helper()
	var value any
	check(t, json.Unmarshal(r.body, &value))
	for _, name := range append([]string{"data"}, names...) {
		fields, ok := value.(map[string]any)
		if !ok {
			t.Fatalf("response: got %s, want data.%s", r.body, strings.Join(names, "."))
		}
		value = fields[name]
	}
	text, ok := value.(string)
	if !ok {
		t.Fatalf("response: got %s, want a text in data.%s", r.body, strings.Join(names, "."))
	}
	return text
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (w *world) space(who account, body string) string {
	w.t.Helper()
	return w.send(w.t, w.call(who, "POST", "/v1/spaces", body)).data(w.t, "spaceId")
}

// promise announces a file and returns the presigned URL.
func (w *world) promise(who account, name, contentType string, size int) string {
	w.t.Helper()
	body, err := json.Marshal(map[string]any{"file_name": name, "file_size": size, "content_type": contentType})
	check(w.t, err)
	return w.send(w.t, w.call(who, "POST", "/v1/files/upload", string(body))).data(w.t, "params", "url")
}

// sendFile announces and uploads a file, and returns its address without the query.
func (w *world) sendFile(who account, name, contentType, content string) string {
	w.t.Helper()
	return w.put(w.promise(who, name, contentType, len(content)), contentType, content)
}

// sendBody announces a file with the body, uploads the content, and returns the address
// without the query.
func (w *world) sendBody(who account, body, content string) string {
	w.t.Helper()
	asked := w.send(w.t, w.call(who, "POST", "/v1/files/upload", body))
	return w.put(asked.data(w.t, "params", "url"), asked.data(w.t, "params", "headers", "Content-Type"), content)
}

// put uploads the content and returns the address without its query.
func (w *world) put(address, contentType, content string) string {
	w.t.Helper()
	put := w.request("PUT", address, content)
	put.Header.Set("Content-Type", contentType)
	if got := w.send(w.t, put); got.status != http.StatusOK {
		w.t.Fatalf("presigned PUT: got %d %s, want 200", got.status, got.body)
	}
	address, _, _ = strings.Cut(address, "?")
	return address
}

// upload announces, uploads and confirms a file, and returns its resource key.
func (w *world) upload(who account, name, contentType, content string) string {
	w.t.Helper()
	body := completion("success", w.sendFile(who, name, contentType, content))
	return w.send(w.t, w.call(who, "POST", "/v1/files/upload-complete", body)).data(w.t, "resource_key")
}

// completion returns the body of an upload-complete request.
func completion(status, address string) string {
	return `{'status':'` + status + `','extra_info':{'file_url':'` + address + `'}}`
}
