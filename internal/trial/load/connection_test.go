package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestConnection_carries_several_requests(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("0123456789", 20_000)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Errorf("read the request: %v", err)
		}
		switch r.URL.Path {
		case "/long": // chunked, because net/http does not know its length
			_, _ = io.WriteString(w, long)
		case "/made":
			w.WriteHeader(http.StatusCreated)
			_, _ = w.Write(body)
		default:
			_, _ = io.WriteString(w, r.Header.Get("Authorization"))
		}
	}))
	t.Cleanup(server.Close)
	host := strings.TrimPrefix(server.URL, "http://")
	c, err := connectTo(t.Context(), host)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.close() })
	v := values{id: []byte("bench-100000001"), revision: []byte("1234567")}
	for _, test := range []struct {
		method, path, body string
		status             int
		want               string
	}{
		{"GET", "/", "", http.StatusOK, "Bearer key"},
		{"POST", "/made", sampleID + " " + sampleRevision, http.StatusCreated, "bench-100000001 1234567"},
		{"GET", "/long", "", http.StatusOK, long},
		{"GET", "/", "", http.StatusOK, "Bearer key"},
	} {
		request := requestTemplate(test.method, test.path, host, "Bearer key", test.body).appendTo(nil, v)
		status, body, err := c.do(request)
		if err != nil || status != test.status || string(body) != test.want {
			t.Errorf("%s %s: got %d, %.40q, %v; want %d, %.40q", test.method, test.path, status, body, err, test.status, test.want)
		}
	}
}

func TestParseProcess_reads_times_and_refuses_damaged_lines(t *testing.T) {
	t.Parallel()
	line := "42 (a (strange) name) S 7 42 42 0 -1 4194560 1 2 3 4 150 50 30 20 20 0 1 0 100 1 2"
	got, err := parseProcess([]byte(line))
	want := process{own: 200 * tick, ended: 50 * tick}
	if err != nil || got != want {
		t.Errorf("process: got %+v, %v, want %+v", got, err, want)
	}
	for _, damaged := range []string{"", "42 (name) S 7", "42 (name) S 7 42 42 0 -1 4 1 2 3 4 x 50 30 20 20"} {
		if _, err := parseProcess([]byte(damaged)); err == nil {
			t.Errorf("process of %q: got no error, want one", damaged)
		}
	}
}

func TestParseRate_reads_the_rate_of_pgbench(t *testing.T) {
	t.Parallel()
	output := "number of transactions actually processed: 9000\nlatency average = 0.5 ms\n" +
		"initial connection time = 20.1 ms\ntps = 12345.678901 (without initial connection time)\n"
	if got, err := parseRate(output); err != nil || got != 12345.678901 {
		t.Errorf("rate: got %v, %v, want 12345.678901", got, err)
	}
	if _, err := parseRate("pgbench: error"); err == nil {
		t.Error("rate of an error: got no error, want one")
	}
}
