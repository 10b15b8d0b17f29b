package mcp

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"portico/auth"
	"portico/db"
	"portico/graph"
	"portico/graph/view"
	"portico/internal/testkit/logs"
	"portico/internal/testkit/postgres"
	"portico/internal/testkit/postgres/testdb"
	"portico/model"
	"portico/storage/disk"
	"portico/worker"
)

func TestMain(m *testing.M) { postgres.Main(m) }

const (
	testMaxFile   = 50_000
	testQuota     = 100_000
	testThreshold = 10_000 // over it a file is confirmed by a job
	testMaxBody   = 20_000
	webURL        = "https://spaces.example"
)

// world is a server with two accounts, each with a client: alice is Pro, bob is
// not.
type world struct {
	t          *testing.T
	base       string
	url        string // of the database
	db         *db.DB
	disk       *disk.Store
	resolver   *graph.Resolver
	keys       *auth.Keys
	door       *door
	log        *logs.Buffer
	logger     *slog.Logger // writes to log
	alice, bob *account
}

type account struct {
	id, key string
	client  *sdk.ClientSession
	// progress receives the notifications of the account's calls.
	progress chan *sdk.ProgressNotificationParams
}

func newWorld(t *testing.T) *world { return serveWorld(t, func(*Options) {}) }

// serveWorld serves the real door over the real core, database and store, with
// options that the test changes. Its downloads may come from this machine.
func serveWorld(t *testing.T, change func(*Options)) *world {
	t.Helper()
	return serveCore(t, func(*graph.Options) {}, change)
}

// serveCore is serveWorld with options of the core that the test changes.
func serveCore(t *testing.T, changeCore func(*graph.Options), change func(*Options)) *world {
	t.Helper()
	w := &world{t: t, log: &logs.Buffer{}}
	w.logger = slog.New(slog.NewJSONHandler(w.log, nil))
	w.db, w.url = testdb.OpenURL(t)
	server := httptest.NewUnstartedServer(nil)
	w.base = "http://" + server.Listener.Addr().String()
	w.openCore(changeCore)
	options := Options{
		Resolver: w.resolver, Keys: w.keys, BaseURL: w.base, Logger: w.logger,
		MaxBody: testMaxBody, TempFolder: t.TempDir(),
	}
	change(&options)
	w.door = newDoor(options)
	w.door.fetcher.ports = nil
	w.door.fetcher.permits = func(address netip.Addr) bool { return address.IsLoopback() }
	server.Config.Handler = w.door.handler()
	server.Start()
	t.Cleanup(server.Close)
	w.alice = w.account("alice@example.com", model.PlanPro)
	w.bob = w.account("bob@example.com", model.PlanFree)
	return w
}

func (w *world) openCore(change func(*graph.Options)) {
	w.t.Helper()
	secret := []byte("0123456789abcdef")
	var err error
	w.disk, err = disk.Open(disk.Options{
		Folder: w.t.TempDir(), BaseURL: "https://portico.example", Secret: secret,
		KeepReserved: w.db.Uploads().ExtendReservation, AcceptStored: w.db.Uploads().KeepReceived,
	})
	check(w.t, err)
	w.t.Cleanup(func() { check(w.t, w.disk.Close()) })
	w.keys, err = auth.NewKeys(w.db, secret)
	check(w.t, err)
	options := graph.Options{DB: w.db, Store: w.disk, Logger: w.logger, Settings: graph.Settings{
		WebURL: webURL, Formats: model.DefaultFormats, MaxFileSize: testMaxFile,
		AsyncThreshold: testThreshold, UploadTTL: time.Minute,
	}}
	change(&options)
	w.resolver = graph.New(options)
}

func (w *world) account(email string, plan model.Plan) *account {
	w.t.Helper()
	in := model.CreateUser{Email: email, Name: strings.Split(email, "@")[0], Plan: plan, Quota: testQuota}
	check(w.t, in.Validate())
	user, err := w.db.Accounts().CreateUser(w.t.Context(), in)
	check(w.t, err)
	key, err := w.keys.EnsureKey(w.t.Context(), user.ID)
	check(w.t, err)
	who := &account{id: user.ID, key: key, progress: make(chan *sdk.ProgressNotificationParams, 1000)}
	who.client = w.connect(who, "/v1/mcp")
	return who
}

// bearer adds the key to requests.
type bearer struct{ key string }

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.key)
	return http.DefaultTransport.RoundTrip(r)
}

// connect returns a session of the SDK's own client.
func (w *world) connect(who *account, path string) *sdk.ClientSession {
	w.t.Helper()
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, &sdk.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) { who.progress <- r.Params },
	})
	session, err := client.Connect(w.t.Context(), &sdk.StreamableClientTransport{
		Endpoint: w.base + path, HTTPClient: &http.Client{Transport: bearer{who.key}},
	}, nil)
	check(w.t, err)
	w.t.Cleanup(func() { _ = session.Close() }) // there is no session to end on the server
	return session
}

// work runs jobs until the test ends.
func (w *world) work() {
	w.t.Helper()
	jobs, err := worker.Start(w.t.Context(), worker.Options{
		DB: w.db, Store: w.disk, Jobs: 2, JobRetention: time.Hour, Logger: w.logger,
	})
	check(w.t, err)
	w.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), timeout)
		defer cancel()
		check(w.t, jobs.Stop(ctx))
	})
}

// result is what a tool returned.
type result struct {
	t *testing.T
	*sdk.CallToolResult
}

// call runs a tool with arguments in JSON.
func (w *world) call(who *account, name, arguments string) result {
	w.t.Helper()
	return w.send(who, &sdk.CallToolParams{Name: name, Arguments: json.RawMessage(arguments)})
}

func (w *world) send(who *account, params *sdk.CallToolParams) result {
	w.t.Helper()
	got, err := who.client.CallTool(w.t.Context(), params)
	if err != nil {
		w.t.Fatalf("%s: got protocol error %v, want a result", params.Name, err)
	}
	w.checkSchema(params.Name, got)
	return result{w.t, got}
}

// checkSchema holds a result against what the tool says of it, as clients do.
func (w *world) checkSchema(name string, got *sdk.CallToolResult) {
	w.t.Helper()
	for _, t := range w.door.tools() {
		if t.listing.Name != name || got.StructuredContent == nil {
			continue
		}
		schema, err := t.listing.OutputSchema.(*jsonschema.Schema).Resolve(nil)
		check(w.t, err)
		if err := schema.Validate(got.StructuredContent); err != nil {
			w.t.Errorf("%s: got %v, which its schema refuses: %v", name, got.StructuredContent, err)
		}
	}
}

// text returns the line for people and, after it, the data as text.
func (r result) text() (summary, data string) {
	r.t.Helper()
	var texts []string
	for _, content := range r.Content {
		texts = append(texts, content.(*sdk.TextContent).Text)
	}
	summary, data, _ = strings.Cut(strings.Join(texts, "\n"), "\n")
	return summary, data
}

// read returns the data of a result, which must not be an error.
func read[T any](r result) T {
	r.t.Helper()
	summary, data := r.text()
	if r.IsError {
		r.t.Fatalf("result: got the error %q, want data", summary)
	}
	var value T
	check(r.t, json.Unmarshal([]byte(data), &value))
	return value
}

// refused compares what an agent sees of an error.
func (r result) refused(code model.Code, message string) {
	r.t.Helper()
	summary, _ := r.text()
	if want := string(code) + ": " + message; !r.IsError || summary != want {
		r.t.Errorf("result: got %q (error %t), want the error %q", summary, r.IsError, want)
	}
	if got := r.Meta["code"]; got != string(code) {
		r.t.Errorf("_meta.code: got %v, want %q", got, code)
	}
	if r.StructuredContent != nil {
		r.t.Errorf("structured content of an error: got %v, want none", r.StructuredContent)
	}
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

// space makes a space of the account and returns its id.
func (w *world) space(who *account, arguments string) string {
	w.t.Helper()
	return read[view.CreatedSpaceWithID](w.call(who, "create_space", arguments)).SpaceID
}

// file uploads a file and returns its resource key.
func (w *world) file(who *account, name string) string {
	w.t.Helper()
	return read[uploadOutput](w.call(who, "upload_text_file", `{"file_name":"`+name+`","file_text":"x"}`)).ResourceKey
}
