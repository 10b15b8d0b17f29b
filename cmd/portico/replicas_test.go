package main

import (
	"database/sql"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/uptrace/bun/driver/pgdriver"

	"portico/internal/testkit/postgres"
	"portico/internal/testkit/s3"
	"portico/splat/splattest"
)

// replicas are the processes of one installation, as docs/deploy/compose.yaml has
// them: they share a database, a bucket, Redis and a secret, and nothing else.
type replicas struct {
	a, b     *process // serve
	workers  []*process
	database string
}

// startReplicas starts two servers and two workers at once, over a database that
// is empty: all four bring it up to date.
func startReplicas(t *testing.T) replicas {
	t.Helper()
	owner, database := postgres.Empty(t, migrate)
	gateway := s3.Start(t)
	counters := miniredis.RunT(t)
	settings := append(s3.Environment(), "PORTICO_DATABASE_URL="+database, "PORTICO_MIGRATE_DATABASE_URL="+owner,
		"PORTICO_STORAGE_URL=s3://"+gateway.Bucket(t)+"?endpoint="+gateway.Endpoint,
		"PORTICO_REDIS_URL=redis://"+counters.Addr(), "PORTICO_RATE_LIMITS=on", "PORTICO_SECRET=a secret of the tests")
	start := func(command string, more ...string) *process {
		dir := dataDir(t)
		p := launch(t, portico(dir, append(settings[:len(settings):len(settings)], more...), command), dir)
		p.settings = settings
		return p
	}
	r := replicas{a: start("serve", "PORTICO_WORKERS=0"), b: start("serve", "PORTICO_WORKERS=0"), database: database}
	for range 2 {
		r.workers = append(r.workers, start("worker", "PORTICO_WORKERS=1", "PORTICO_METRICS_ADDR=127.0.0.1:0"))
	}
	for _, server := range []*process{r.a, r.b} {
		server.url = server.logged("serving")["url"].(string)
	}
	for _, worker := range r.workers {
		worker.logged("working")
		worker.url = "http://" + worker.logged("serving metrics")["address"].(string)
	}
	return r
}

// ask asks the database something.
func ask(t *testing.T, url string, do func(*sql.DB) error) {
	t.Helper()
	db := sql.OpenDB(pgdriver.NewConnector(pgdriver.WithDSN(url)))
	check(t, errors.Join(do(db), db.Close()))
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
	atA := r.a.newUser(t, "progress@example.com")
	atB := r.b.moved(atA)
	id := atB.startJob("scan.zip", capture(t, splattest.Capture{Tiles: 1000, TileBytes: 100}))
	states := atA.watchSocket(id)
	checkStates(t, "socket at the other replica", states)
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
	atA.call("GET", "/v1/files", nil).want(200, &page)
	for _, worker := range r.workers {
		check(t, errors.Join(probe(worker.url+"/livez"), probe(worker.url+"/readyz")))
	}
	eventually(t, "a worker counts the attempt", func() bool { // just after it announced the end
		attempts := 0
		for _, worker := range r.workers {
			attempts += strings.Count(metricsOf(t, worker), `portico_job_seconds_count{kind="zip-processing",outcome="completed"} 1`)
		}
		return attempts == 1
	})
	if want := atB.job(id).Result.ResourceKey; len(page.Files) != 1 || page.Files[0].ResourceKey != want {
		t.Errorf("files at the other replica: got %+v, want %s alone", page.Files, want)
	}
}

// metricsOf returns what a process answers Prometheus.
func metricsOf(t *testing.T, p *process) string {
	t.Helper()
	response, err := http.Get(p.url + "/metrics")
	check(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	check(t, err)
	return string(body)
}

func testSharedRevocation(t *testing.T, r replicas) {
	atA := r.a.newUser(t, "revoked@example.com")
	atB := r.b.moved(atA)
	socket := atB.socket()
	defer socket.CloseNow()
	var revoked bool
	check(t, graphDoor{atA}.ask("mutation { revokeApiKey }", nil, &revoked))
	answered := time.Now()
	wantClosed(t, "socket at the other replica", socket)
	took := time.Since(answered)
	t.Logf("closed %v after the answer", took)
	if took > time.Second {
		t.Errorf("closed after %v, want within 1s", took)
	}
	atB.call("GET", "/v1/user/me", nil).want(http.StatusUnauthorized, nil)
}

// testSharedLimits makes the uploads of a minute at the replicas in turns.
func testSharedLimits(t *testing.T, r replicas) {
	const allowed = 20 // uploads in a minute (API section 8)
	atA := r.a.newUser(t, "limited@example.com")
	clients := []*client{atA, r.b.moved(atA)}
	upload := map[string]any{"file_name": "a.ply", "file_size": 1, "content_type": "application/octet-stream"}
	for i := range allowed {
		clients[i%2].call("POST", "/v1/files/upload", upload).want(200, nil)
	}
	for _, c := range clients {
		got := c.call("POST", "/v1/files/upload", upload)
		if got.status != http.StatusTooManyRequests || got.header.Get("Retry-After") == "" {
			t.Errorf("upload %d: got %d, Retry-After %q, want 429 and when to come back", allowed+1, got.status, got.header.Get("Retry-After"))
		}
	}
	for _, server := range []*process{r.a, r.b} {
		if !strings.Contains(metricsOf(t, server), "\n"+`portico_limits_hit_total{scope="upload"} 1`+"\n") {
			t.Error("/metrics: got no refusal of an upload, want one at each replica")
		}
	}
}

// testSharedPurge waits for the first purge and looks for a second of its period.
func testSharedPurge(t *testing.T, r replicas) {
	ask(t, r.database, func(db *sql.DB) error {
		var err error
		eventually(t, "a purge has ended", func() bool {
			var purges, periods int
			err = db.QueryRowContext(t.Context(), `
				SELECT count(*), count(DISTINCT floor(extract(epoch FROM scheduled_at) / 30))
				FROM river_job WHERE kind = 'purge' AND state = 'completed'`).Scan(&purges, &periods)
			if purges != periods {
				t.Errorf("purges: got %d in %d periods, want one in each", purges, periods)
			}
			return err != nil || purges > 0
		})
		return err
	})
}
