package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

// Some proxies refuse a GET or DELETE with a body.
func TestRemote_sends_a_body_only_if_there_is_one(t *testing.T) {
	t.Parallel()
	var got string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Errorf("read the body: %v", err)
		}
		got = r.Header.Get("Content-Type") + " " + string(body)
		_, _ = io.WriteString(w, `{}`)
	}))
	t.Cleanup(server.Close)
	r := &remote{server: server.URL, key: "k"}
	for _, test := range []struct {
		method string
		body   any
		want   string
	}{
		{http.MethodGet, nil, " "},
		{http.MethodDelete, nil, " "},
		{http.MethodPost, map[string]int{"n": 1}, `application/json {"n":1}`},
	} {
		check(t, r.call(t.Context(), test.method, "/", test.body, nil))
		if got != test.want {
			t.Errorf("%s: got %q, want %q", test.method, got, test.want)
		}
	}
}
