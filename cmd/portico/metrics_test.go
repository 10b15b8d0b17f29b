package main

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"portico/cmd/portico/operator"
	"portico/internal/testkit/api"
)

func TestMetrics_count_requests_by_route(t *testing.T) {
	t.Parallel()
	p := serveBeside(t)
	stdout, stderr, code := runCommand(t, p.dir, p.settings, "user", "add", "ada@example.com")
	if code != 0 {
		t.Fatal(stderr)
	}
	var account operator.Account
	check(t, json.Unmarshal([]byte(stdout), &account))
	get := func(path, key string) string {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.URL+path, nil)
		check(t, err)
		if key != "" {
			request.Header.Set("Authorization", "Bearer "+key)
		}
		response, err := http.DefaultClient.Do(request)
		check(t, err)
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		check(t, err)
		return string(body)
	}
	for _, path := range []string{
		"/v1/jobs", "/files/1/none.ply", "/nowhere", "/login", "/login/external", "/.well-known/oauth-authorization-server",
	} {
		get(path, "") // without a key no route of the API is looked for
	}
	for _, path := range []string{"/v1/spaces/1/entities/a", "/api/v1/spaces/2/entities/b", "/v1/no-such-endpoint"} {
		get(path, account.APIKey)
	}
	user := &api.Client{T: t, URL: p.URL, Key: account.APIKey}
	user.Call("POST", "/v1/user/create-space", map[string]any{"title": "x"}).Want(200, nil)
	metrics := get("/metrics", "")
	for _, want := range []string{
		`portico_http_requests_total{code="401",method="GET",route="/v1/*"} 1`,
		`portico_http_requests_total{code="404",method="GET",route="/v1/spaces/{spaceId}/entities/{entityId}"} 2`,
		`portico_http_requests_total{code="404",method="GET",route="/v1/*"} 1`,
		`portico_http_requests_total{code="404",method="GET",route="/files/*"} 1`,
		`portico_http_requests_total{code="404",method="GET",route="other"} 1`,
		`portico_http_requests_total{code="200",method="GET",route="/login"} 1`,
		`portico_http_requests_total{code="404",method="GET",route="/login/*"} 1`,
		`portico_http_requests_total{code="200",method="GET",route="/.well-known/*"} 1`,
		`portico_http_request_seconds_count{method="GET",route="/login"} 1`,
		`portico_http_received_bytes_total{route="/v1/user/create-space"} 13`,
		`portico_streams 0`,
		`portico_subscriptions 0`,
		`portico_db_connections{state="in_use"} `,
		`portico_db_waits_total `,
		`go_goroutines `,
		`process_resident_memory_bytes `,
	} {
		if !strings.Contains(metrics, "\n"+want) {
			t.Errorf("/metrics has no line %s", want)
		}
	}
	if t.Failed() {
		t.Log(metrics)
	}
}
