package main

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"portico/internal/testkit/api"
	"portico/internal/testkit/postgres"
	"portico/internal/testkit/s3"
	"portico/splat/splattest"
)

// The trace that the tests' requests belong to, as W3C Trace Context writes it.
const (
	testTrace  = "4bf92f3577b34da6a3ce929d0e0e4736"
	testParent = "00f067aa0ba902b7"
)

// The test publishes a capture through a server and a worker, two processes
// over a database and a bucket, and looks at what a collector is sent.
func TestServer_and_worker_export_one_trace(t *testing.T) {
	t.Parallel()
	receiver := newReceiver(t)
	gateway := s3.Start(t)
	settings := append(s3.Environment(), "PORTICO_DATABASE_URL="+postgres.URL(t, migrate),
		"PORTICO_STORAGE_URL=s3://"+gateway.Bucket(t)+"?endpoint="+gateway.Endpoint,
		"PORTICO_SECRET=a secret of the tests", "OTEL_EXPORTER_OTLP_ENDPOINT="+receiver.url, "OTEL_EXPORTER_OTLP_HEADERS=password=of-the-collector")
	server := serve(t, dataDir(t), append(settings, "PORTICO_WORKERS=0")...)
	workerDir := dataDir(t)
	worker := launch(t, workerDir, append(settings, "OTEL_SERVICE_NAME=portico-worker"), "worker")
	worker.Logged("working")
	c := server.newUser(t, "traced@example.com")

	address := c.Put("Holiday of Ada.zip", api.Capture(t, splattest.Capture{Tiles: 3, TileBytes: 1000}))
	var started struct {
		JobID string `json:"job_id"`
	}
	c.callTraced("POST", "/v1/files/upload-complete", api.Completion(address)).Want(202, &started)
	c.callTraced("POST", "/graphql", map[string]string{"query": "query Mine { viewer { id email } }"}).Want(200, nil)
	api.CheckStates(t, "socket", c.WatchSocket(started.JobID))
	file := c.file(c.Await(started.JobID).Result.ResourceKey, "the file was looked into", func(f storedFile) bool { return f.Facts != nil })
	server.Stop()
	worker.Stop()

	checkTrace(t, receiver.spans())
	for _, secret := range []string{c.Key, "traced@example.com", "Bearer", "Holiday", file.ResourceKey, "X-Amz-Signature", "a secret of the tests"} {
		if bytes.Contains(receiver.all(), []byte(secret)) {
			t.Errorf("exported bytes: got %q among them, want it kept", secret)
		}
	}
	if got := receiver.header.Get("Password"); got != "of-the-collector" {
		t.Errorf("the collector's own header: got %q, want what OTEL_EXPORTER_OTLP_HEADERS says", got)
	}
	server.CheckJSON()
}

// checkTrace checks that the requests, and what they caused in either process, are
// one trace.
func checkTrace(t *testing.T, spans []span) {
	t.Helper()
	confirm := find(t, spans, "POST /v1/files/upload-complete", testParent)
	operation := find(t, spans, "query", find(t, spans, "POST /graphql", testParent).id)
	job := find(t, spans, "job zip-processing", confirm.id)
	first := find(t, spans, "POST /v1/files/upload", "") // whose key is remembered
	for _, want := range []struct {
		name string
		in   span
	}{
		{"SELECT api_keys", first}, {"INSERT river_job", confirm}, {"COMMIT", confirm}, {"S3 HeadObject", confirm},
		{"SELECT users", operation}, {"UPDATE jobs", job}, {"S3 GetObject", job}, {"INSERT files", job}, {"job preparation", job},
	} {
		find(t, spans, want.name, want.in.id)
	}
	for _, s := range []span{confirm, job} {
		if s.trace != testTrace {
			t.Errorf("trace of %s: got %s, want the trace of the request, %s", s.name, s.trace, testTrace)
		}
	}
	for attribute, want := range map[string]string{"http.route": "/v1/files/upload-complete", "http.request.method": "POST"} {
		if got := confirm.attributes[attribute]; got != want {
			t.Errorf("%s: got %q, want %q", attribute, got, want)
		}
	}
	if confirm.attributes["portico.request_id"] == "" || confirm.service != "portico" || job.service != "portico-worker" {
		t.Errorf("services: got %q with request id %q, and %q", confirm.service, confirm.attributes["portico.request_id"], job.service)
	}
	if got := operation.attributes["graphql.operation.name"]; got != "Mine" {
		t.Errorf("graphql.operation.name: got %q, want Mine", got)
	}
	if got := job.attributes["portico.job.outcome"]; got != "completed" {
		t.Errorf("portico.job.outcome: got %q, want completed", got)
	}
	watched := find(t, spans, "subscription", "")
	if watched.end-watched.start > job.end-confirm.start {
		t.Errorf("span of the subscription: got it longer than the job, want it ended with the first state")
	}
	if names := slices.Collect(func(yield func(string) bool) {
		for _, s := range spans {
			if !yield(s.name) {
				return
			}
		}
	}); slices.Contains(names, "GET /graphql") || slices.Contains(names, "GET /readyz") {
		t.Errorf("spans: got %q, want none of sockets and probes", names)
	}
}

// callTraced is client.call as a part of the tests' trace.
func (c *user) callTraced(method, path string, body any) api.Response {
	c.T.Helper()
	content, err := json.Marshal(body)
	check(c.T, err)
	return c.Send(method, c.URL+path, http.Header{
		"Content-Type": {"application/json"}, "Authorization": {"Bearer " + c.Key}, "Traceparent": {"00-" + testTrace + "-" + testParent + "-01"},
	}, bytes.NewReader(content), int64(len(content)))
}

// TestTracing_is_off_unless_asked_for sets the variables of OpenTelemetry that do
// not turn tracing on.
func TestTracing_is_off_unless_asked_for(t *testing.T) {
	t.Parallel()
	receiver := newReceiver(t)
	url := postgres.URL(t, migrate)
	for name, settings := range map[string][]string{
		"nothing is set":         nil,
		"the SDK is disabled":    {"OTEL_EXPORTER_OTLP_ENDPOINT=" + receiver.url, "OTEL_SDK_DISABLED=true"},
		"the exporter is none":   {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=" + receiver.url, "OTEL_TRACES_EXPORTER=none"},
		"metrics have their own": {"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT=" + receiver.url},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := serve(t, dataDir(t), append(settings, "PORTICO_DATABASE_URL="+url, "PORTICO_WORKERS=0")...)
			check(t, probe(server.URL+"/.well-known/oauth-authorization-server"))
			server.Stop()
			if got := len(receiver.all()); got != 0 {
				t.Errorf("exported: got %d bytes, want none", got)
			}
		})
	}
}

func TestTracing_refuses_what_it_cannot_do(t *testing.T) {
	t.Parallel()
	for variable, value := range map[string]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT": "user:pass@collector:4318",
		"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc",
		"OTEL_TRACES_EXPORTER":        "zipkin",
	} {
		t.Run(variable, func(t *testing.T) {
			t.Parallel()
			settings := []string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://localhost:4318", variable + "=" + value}
			_, errs, code := runCommand(t, dataDir(t), settings, "serve")
			if code == 0 || !strings.Contains(errs, variable) || strings.Contains(errs, "pass") {
				t.Errorf("got code %d and %q, want a failure that names %s and quotes nothing", code, errs, variable)
			}
		})
	}
}

// A collector that takes connections and never answers must hold nothing up.
func TestTracing_goes_on_without_its_collector(t *testing.T) {
	t.Parallel()
	silent := make(chan struct{})
	deaf := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-silent }))
	t.Cleanup(deaf.Close)
	t.Cleanup(func() { close(silent) })
	server := serve(t, dataDir(t), "PORTICO_DATABASE_URL="+postgres.URL(t, migrate), "PORTICO_WORKERS=0", "OTEL_EXPORTER_OTLP_ENDPOINT="+deaf.URL)
	check(t, probe(server.URL+"/openapi.json"))
	ended := startTimer(t, "stop with a silent collector")
	server.Stop()
	ended()
	server.Logged("traces were lost")
	server.CheckJSON()
}

// receiver is a collector that keeps what it is sent.
type receiver struct {
	t   *testing.T
	url string

	mu     sync.Mutex
	bodies [][]byte
	header http.Header // of the last request
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{t: t}
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	r.url = server.URL
	return r
}

// ServeHTTP implements http.Handler.
func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	if err != nil || request.URL.Path != "/v1/traces" {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.bodies, r.header = append(r.bodies, body), request.Header
}

func (r *receiver) all() []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	return bytes.Join(r.bodies, nil)
}

// span is what the tests look at of one.
type span struct {
	name, trace, id, parent, service string
	start, end                       uint64 // nanoseconds
	attributes                       map[string]string
}

func (r *receiver) spans() (all []span) {
	r.t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, body := range r.bodies { // ExportTraceServiceRequest
		for _, resource := range parseFields(r.t, body)[1] {
			fields := parseFields(r.t, resource)
			service := attributesOf(r.t, parseFields(r.t, fields.first(1))[1])["service.name"]
			for _, scope := range fields[2] {
				for _, s := range parseFields(r.t, scope)[2] {
					all = append(all, newSpan(r.t, s, service))
				}
			}
		}
	}
	return all
}

func newSpan(t *testing.T, message []byte, service string) span {
	t.Helper()
	f := parseFields(t, message)
	return span{
		name: string(f.first(5)), trace: hex.EncodeToString(f.first(1)), id: hex.EncodeToString(f.first(2)),
		parent: hex.EncodeToString(f.first(4)), service: service,
		start: binary.LittleEndian.Uint64(f.first(7)), end: binary.LittleEndian.Uint64(f.first(8)),
		attributes: attributesOf(t, f[9]),
	}
}

// attributesOf returns the values of attributes that are texts.
func attributesOf(t *testing.T, pairs [][]byte) map[string]string {
	t.Helper()
	attributes := map[string]string{}
	for _, pair := range pairs {
		f := parseFields(t, pair)
		attributes[string(f.first(1))] = string(parseFields(t, f.first(2)).first(1))
	}
	return attributes
}

// find returns the span of this name below the parent; "" is none.
func find(t *testing.T, spans []span, name, parent string) span {
	t.Helper()
	at := slices.IndexFunc(spans, func(s span) bool { return s.name == name && s.parent == parent })
	if at < 0 {
		slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.start, b.start) })
		for _, s := range spans {
			t.Logf("%s %s below %q in %s", s.id, s.name, s.parent, s.service)
		}
		t.Fatalf("spans: got none named %q below %q", name, parent)
	}
	return spans[at]
}
