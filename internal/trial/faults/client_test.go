package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestFaultOfResponse_accepts_the_errors_of_the_API(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		status int
		body   string
		want   string
	}{
		{"an error of REST", 500, `{"status":"error","message":"Internal server error"}`, ""},
		{"an error of GraphQL", 500, `{"errors":[{"message":"Internal server error"}]}`, ""},
		{"a refusal of a moment", 503, `{"status":"error","message":"Try again"}`, ""},
		{"another status", 502, `{"status":"error","message":"Bad gateway"}`, "neither 500 nor 503"},
		{"text", 500, "Internal server error\n", "no JSON"},
		{"nothing", 500, "", "no JSON"},
		{"success", 500, `{"status":"ok","data":{}}`, "no error in it"},
		{"no message", 500, `{"status":"error"}`, "no error in it"},
		{"the error itself", 500, `{"status":"error","message":"dial tcp 127.0.0.1:5432"}`, "it shows internals"},
	} {
		if got := faultOfResponse(response{status: test.status, body: []byte(test.body)}); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

func TestCheckVisit_distinguishes_an_error_from_a_visit(t *testing.T) {
	t.Parallel()
	const internal = `"message":"Internal server error"`
	for _, test := range []struct {
		name    string
		status  int
		body    string
		visited bool
		fault   string
	}{
		{"data", 200, `{"data":{"viewer":{"email":"a@example.com"}}}`, true, ""},
		{"a result of MCP", 200, `{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`, true, ""},
		{"an unknown field", 200, `{"errors":[{"message":"Cannot query field","extensions":{"code":"INVALID"}}]}`, false, "not an internal error"},
		{"an internal error of GraphQL", 200, `{"data":{"viewer":null},"errors":[{` + internal + `,"extensions":{"code":"INTERNAL"}}]}`, false, ""},
		{"an internal error of a tool", 200, `{"result":{"isError":true,"_meta":{"code":"internal"}}}`, false, ""},
		{"internals of a tool", 200, `{"result":{"isError":true,"_meta":{"code":"internal"},"content":[{"text":"dial tcp"}]}}`, false, "it shows internals"},
		{"an unknown tool", 200, `{"error":{"code":-32602,"message":"unknown tool"}}`, false, "not an internal error"},
		{"text", 200, `ok`, false, "not an internal error"},
		{"a status of 500", 500, `{"status":"error",` + internal + `}`, false, ""},
	} {
		found := newTally("x")
		c := client{world: &world{tally: found}}
		c.checkVisit("GET /", response{status: test.status, body: []byte(test.body)}, nil, 0)
		if got := found.counts["visits"] == 1; got != test.visited {
			t.Errorf("%s: got a visit %v, want %v", test.name, got, test.visited)
		}
		if got := strings.Join(found.broken, ", "); (got == "") != (test.fault == "") || !strings.Contains(got, test.fault) {
			t.Errorf("%s: got %q, want %q", test.name, got, test.fault)
		}
	}
}

func TestClient_complains_of_trouble_without_a_cause(t *testing.T) {
	t.Parallel()
	for _, strict := range []bool{true, false} {
		found := newTally("x")
		c := client{world: &world{tally: found}, strict: strict}
		c.checkTrouble("GET /", response{status: http.StatusInternalServerError, body: []byte(`{"status":"error","message":"Internal server error"}`)})
		if got := len(found.broken) > 0; got != strict {
			t.Errorf("strict %v: got a complaint %v, want %v", strict, got, strict)
		}
	}
}

func TestSight_complains(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		states []jobState
		want   string
	}{
		{"not of a job that goes well", []jobState{{Status: "QUEUED"}, {Status: "PROCESSING", Progress: 40}, {Status: "COMPLETED", Progress: 100}}, ""},
		{"not of one that begins again where it was", []jobState{{Status: "PROCESSING", Progress: 40}, {Status: "QUEUED", Progress: 40}}, ""},
		{"of progress that falls", []jobState{{Progress: 40}, {Progress: 39.9}}, "progress 39.9 after 40"},
		{"of 100 before the end", []jobState{{Status: "PROCESSING", Progress: 100}}, "progress 100 while PROCESSING"},
		{"of less than 100 at the end", []jobState{{Status: "COMPLETED", Progress: 99}}, "progress 99 while COMPLETED"},
	} {
		found := newTally("x")
		s := observation{c: &client{world: &world{tally: found}}, id: "1"}
		for _, state := range test.states {
			s.observe(state)
		}
		if got := strings.Join(found.broken, ", "); !strings.HasSuffix(got, test.want) || (got == "") != (test.want == "") {
			t.Errorf("complains %s: got %q, want %q", test.name, got, test.want)
		}
	}
}

func TestJobState_err(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		state jobState
		want  string
	}{
		{jobState{Status: "COMPLETED"}, ""},
		{jobState{Status: "FAILED", Error: "Given up after 4 attempts"}, "given up: Given up after 4 attempts"},
		{jobState{Status: "FAILED", Error: "Canceled"}, "the job failed: Canceled"},
	} {
		got := ""
		if err := test.state.err(); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%+v: got %q, want %q", test.state, got, test.want)
		}
	}
}

func TestRetryReason_depends_on_the_error(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		err    error
		strict bool
		want   string
	}{
		{nil, true, ""},
		{errGivenUp{}, true, "jobs given up"},
		{errStatus{status: http.StatusNotFound}, false, "incomplete uploads not confirmed"},
		{errStatus{status: http.StatusNotFound}, true, ""},
		{errStatus{status: http.StatusForbidden}, false, ""},
	} {
		c := client{strict: test.strict}
		if got := c.retryReason(test.err); got != test.want {
			t.Errorf("%v, strict %v: got %q, want %q", test.err, test.strict, got, test.want)
		}
	}
}

// A bucket keeps the object of a PUT whose response was lost, and refuses the second PUT.
func TestPut_takes_a_second_refusal_for_a_stored_object(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name         string
		lostResponse bool
		wantErr      bool
	}{
		{"after a lost response", true, false},
		{"at once", false, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			lost := !test.lostResponse
			var bucket *httptest.Server
			bucket = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch {
				case r.Method == http.MethodPost:
					fmt.Fprintf(w, `{"data":{"params":{"url":%q,"method":"PUT"}}}`, bucket.URL+"/a?signed")
				case lost:
					w.WriteHeader(http.StatusPreconditionFailed)
				default:
					lost = true
					panic(http.ErrAbortHandler) // closes the connection without a response
				}
			}))
			t.Cleanup(bucket.Close)
			c := client{world: &world{tally: newTally("x"), random: newRandom(1, "x")}, url: bucket.URL}
			address, err := c.put(t.Context(), singleFile("mesh", "a.glb", []byte("bytes")))
			if (err != nil) != test.wantErr || address != bucket.URL+"/a" {
				t.Errorf("got %q, %v, want an error: %v", address, err, test.wantErr)
			}
		})
	}
}
