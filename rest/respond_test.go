package rest

import (
	"math"
	"net/http/httptest"
	"testing"

	"portico/graph/view"
	"portico/model"
)

func TestRespond_writes_the_envelope(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		body envelope
		want string
	}{
		{"data", envelope{Status: "ok", Data: view.Notice{Message: "Done"}}, `{"status":"ok","data":{"message":"Done"}}`},
		{"a message", envelope{Status: "ok", Message: "Done"}, `{"status":"ok","message":"Done"}`},
		{"HTML as it is", envelope{Status: "ok", Data: view.Notice{Message: "<b>&</b>"}}, `{"status":"ok","data":{"message":"<b>&</b>"}}`},
		{"a client's JSON as it is", envelope{Status: "ok", Data: model.Object(`{"a":12345678901234567890,"b":"<>&"}`)},
			`{"status":"ok","data":{"a":12345678901234567890,"b":"<>&"}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := httptest.NewRecorder()
			check(t, respond(got, 201, c.body))
			if got, want := got.Body.String(), c.want+"\n"; got != want {
				t.Errorf("body: got %s, want %s", got, want)
			}
			if got, want := got.Code, 201; got != want {
				t.Errorf("status: got %d, want %d", got, want)
			}
		})
	}
}

func TestRespond_sets_the_headers_of_JSON(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, path := range []string{"/v1/spaces", "/v1/nothing"} {
		got := w.call(w.alice, "GET", path, "")
		for name, want := range map[string]string{
			"Content-Type":           "application/json; charset=utf-8",
			"Cache-Control":          "no-store",
			"X-Content-Type-Options": "nosniff",
		} {
			if got := got.header.Get(name); got != want {
				t.Errorf("%s: %s: got %q, want %q", path, name, got, want)
			}
		}
	}
}

func TestRespond_writes_nothing_that_it_cannot_encode(t *testing.T) {
	t.Parallel()
	got := httptest.NewRecorder()
	err := respond(got, 200, math.NaN())
	if err == nil || got.Body.Len() != 0 || len(got.Header()) != 0 {
		t.Errorf("respond: got %v, %q, %v, want an error and nothing written", err, got.Body, got.Header())
	}
}
