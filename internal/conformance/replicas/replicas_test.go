package replicas

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"portico/internal/testkit/api"
	"portico/internal/testkit/postgres"
	"portico/internal/testkit/postgres/testdb"
	"portico/internal/testkit/program"
	"portico/internal/testkit/program/programtest"
	"portico/internal/testkit/s3"
	"portico/splat/splattest"
)

func TestMain(m *testing.M) { postgres.Main(m) }

// replicas are the processes of one installation, as docs/deploy/compose.yaml has them:
// they share a database, a bucket, Redis and a secret, and nothing else.
type replicas struct {
	a, b     *programtest.Process // serve
	workers  []*programtest.Process
	database string
}

// startReplicas starts two servers and two workers in parallel, with an empty database that all
// four try to migrate.
func startReplicas(t *testing.T) replicas {
	t.Helper()
	owner, database := postgres.Empty(t, testdb.Migrate)
	gateway := s3.Start(t)
	counters := miniredis.RunT(t)
	settings := append(s3.Environment(), "PORTICO_DATABASE_URL="+database, "PORTICO_MIGRATE_DATABASE_URL="+owner,
		"PORTICO_STORAGE_URL=s3://"+gateway.Bucket(t)+"?endpoint="+gateway.Endpoint, "PORTICO_ADDR=127.0.0.1:0",
		"PORTICO_REDIS_URL=redis://"+counters.Addr(), "PORTICO_RATE_LIMITS=on", "PORTICO_SECRET=a secret of the tests")
	built := programtest.Build(t)
	start := func(command string, more ...string) *programtest.Process {
		own := append(slices.Clone(settings), "PORTICO_DATA_DIR="+t.TempDir())
		return programtest.Start(t, program.Installation{Program: built, Settings: own}, more, command)
	}
	r := replicas{a: start("serve", "PORTICO_WORKERS=0"), b: start("serve", "PORTICO_WORKERS=0"), database: database}
	for range 2 {
		r.workers = append(r.workers, start("worker", "PORTICO_WORKERS=1", "PORTICO_METRICS_ADDR=127.0.0.1:0"))
	}
	for _, server := range []*programtest.Process{r.a, r.b} {
		server.AwaitServing()
	}
	for _, worker := range r.workers {
		worker.Logged("working")
		worker.URL = "http://" + worker.Logged("serving metrics")["address"].(string)
	}
	return r
}

func TestReplicas(t *testing.T) {
	t.Parallel()
	r := startReplicas(t)
	t.Run("show a job of one to a subscriber of the other", func(t *testing.T) {
		t.Parallel()
		testSharedProgress(t, r)
	})
	t.Run("end the socket of a key that another revokes", func(t *testing.T) {
		t.Parallel()
		testSharedRevocation(t, r)
	})
	t.Run("show their visitors to each other", func(t *testing.T) {
		t.Parallel()
		testSharedPresence(t, r)
	})
	t.Run("count requests together", func(t *testing.T) {
		t.Parallel()
		testSharedLimits(t, r)
	})
	t.Run("purge once in a period", func(t *testing.T) {
		t.Parallel()
		testSharedPurge(t, r)
	})
}

func testSharedProgress(t *testing.T, r replicas) {
	atA := r.a.NewClient(t, "progress@example.com")
	atB := r.b.Client(atA)
	id := atB.StartJob("scan.zip", api.Capture(t, splattest.Capture{Tiles: 1000, TileBytes: 100}))
	states := atA.WatchSocket(id)
	api.CheckStates(t, "socket at the other replica", states)
	between := 0
	for _, state := range states {
		if state.Progress > 0 && state.Progress < 100 {
			between++
		}
	}
	t.Logf("states seen: %d, of which %d on the way", len(states), between)
	if between == 0 {
		t.Errorf("states: got %+v, want some between the start and the end", states)
	}
	var page struct {
		Files []struct {
			ResourceKey string `json:"resource_key"`
		}
	}
	atA.Call("GET", "/v1/files", nil).Want(200, &page)
	for _, worker := range r.workers {
		for _, path := range []string{"/livez", "/readyz"} {
			if status, body := get(t, worker.URL+path); status != http.StatusOK {
				t.Errorf("%s of a worker: got %d %s, want 200", path, status, body)
			}
		}
	}
	api.Eventually(t, "a worker counts the attempt", func() bool { // shortly after the job has ended
		attempts := 0
		for _, worker := range r.workers {
			attempts += strings.Count(metricsOf(t, worker), `portico_job_seconds_count{kind="zip-processing",outcome="completed"} 1`)
		}
		return attempts == 1
	})
	if want := atB.Job(id).Result.ResourceKey; len(page.Files) != 1 || page.Files[0].ResourceKey != want {
		t.Errorf("files at the other replica: got %+v, want %s alone", page.Files, want)
	}
}

func metricsOf(t *testing.T, p *programtest.Process) string {
	t.Helper()
	_, body := get(t, p.URL+"/metrics")
	return body
}

func get(t *testing.T, address string) (status int, body string) {
	t.Helper()
	got := (&api.Client{T: t}).Send("GET", address, http.Header{}, http.NoBody, 0)
	return got.Status, string(got.Body)
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func testSharedRevocation(t *testing.T, r replicas) {
	atA := r.a.NewClient(t, "revoked@example.com")
	atB := r.b.Client(atA)
	socket := atB.Socket()
	defer socket.CloseNow()
	var revoked struct{ Revoked bool }
	check(t, atA.GraphQL("mutation { revokeApiKey { revoked } }", nil, &revoked))
	responded := time.Now()
	api.WantClosed(t, "socket at the other replica", socket)
	t.Logf("closed %v after the response", time.Since(responded))
	atB.Call("GET", "/v1/user/me", nil).Want(http.StatusUnauthorized, nil)
}

// testSharedLimits makes the uploads of a minute, alternating between the replicas.
func testSharedLimits(t *testing.T, r replicas) {
	const allowed = 20 // uploads in a minute (API section 8)
	atA := r.a.NewClient(t, "limited@example.com")
	clients := []*api.Client{atA, r.b.Client(atA)}
	upload := map[string]any{"file_name": "a.ply", "file_size": 1, "content_type": "application/octet-stream"}
	for i := range allowed {
		clients[i%2].Call("POST", "/v1/files/upload", upload).Want(200, nil)
	}
	for _, c := range clients {
		got := c.Call("POST", "/v1/files/upload", upload)
		if got.Status != http.StatusTooManyRequests || got.Header.Get("Retry-After") == "" {
			t.Errorf("upload %d: got %d, Retry-After %q, want 429 and when to come back", allowed+1, got.Status, got.Header.Get("Retry-After"))
		}
	}
	for _, server := range []*programtest.Process{r.a, r.b} {
		if !strings.Contains(metricsOf(t, server), "\n"+`portico_limits_hit_total{scope="upload"} 1`+"\n") {
			t.Error("/metrics: got no refusal of an upload, want one at each replica")
		}
	}
}

// testSharedPurge waits for the first purge and looks for a second of its period.
func testSharedPurge(t *testing.T, r replicas) {
	db := postgres.Connect(t, r.database)
	api.Eventually(t, "a purge has ended", func() bool {
		var purges, periods int
		check(t, db.QueryRowContext(t.Context(), `
			SELECT count(*), count(DISTINCT floor(extract(epoch FROM scheduled_at) / 30))
			FROM river_job WHERE kind = 'purge' AND state = 'completed'`).Scan(&purges, &periods))
		if purges != periods {
			t.Errorf("purges: got %d in %d periods, want one in each", purges, periods)
		}
		return purges > 0
	})
}
