package mcp

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"portico/limit"
	"portico/model"
)

// newLimitedWorld serves a world with the limits of the API, on a clock that stands still.
func newLimitedWorld(t *testing.T) *world {
	t.Helper()
	limiter, err := limit.New(limit.Options{Now: func() time.Time { return time.Unix(0, 0) }})
	check(t, err)
	t.Cleanup(func() { check(t, limiter.Close()) })
	return serveWorld(t, func(o *Options) { o.Limiter = limiter })
}

func TestDoor_limits_tools_like_their_endpoints(t *testing.T) {
	t.Parallel()
	w := newLimitedWorld(t)
	for range 20 {
		w.file(w.alice, "a.json")
	}
	got := w.call(w.alice, "upload_text_file", `{"file_name":"a.json","file_text":"x"}`)
	got.refused(model.CodeRateLimited, "Rate limit exceeded. Try again in 60 seconds")
	equal(t, "_meta.retry_after_seconds", got.Meta["retry_after_seconds"], any(60.0))
	w.file(w.bob, "a.json")
	w.call(w.alice, "list_spaces", `{}`).text()
}

func TestDoor_limits_privacy_through_every_tool(t *testing.T) {
	t.Parallel()
	w := newLimitedWorld(t)
	for i := range 60 {
		tool, arguments := "update_space", `{"spaceId":"x","privacy":"Open"}`
		if i%2 == 0 {
			tool, arguments = "update_space_privacy", `{"spaceId":"x","roomPrivacy":"Public"}`
		}
		w.call(w.alice, tool, arguments).refused(model.CodeNotFound, "Space not found")
	}
	const over = "Rate limit exceeded. Try again in 60 seconds"
	w.call(w.alice, "update_space", `{"spaceId":"x","privacy":"Open"}`).refused(model.CodeRateLimited, over)
	w.call(w.alice, "update_space_privacy", `{"spaceId":"x","roomPrivacy":"Public"}`).refused(model.CodeRateLimited, over)
	w.call(w.alice, "update_space", `{"spaceId":"x","title":"x"}`).refused(model.CodeNotFound, "Space not found")
}

func TestDoor_limits_the_account(t *testing.T) {
	t.Parallel()
	w := newLimitedWorld(t)
	for range 20 {
		w.file(w.alice, "a.json")
	}
	key, err := w.keys.Generate(t.Context(), &model.User{ID: w.alice.id})
	check(t, err)
	w.alice.key = key
	w.alice.client = w.connect(w.alice, "/v1/mcp")
	got := w.call(w.alice, "upload_text_file", `{"file_name":"a.json","file_text":"x"}`)
	got.refused(model.CodeRateLimited, "Rate limit exceeded. Try again in 60 seconds")
}

func TestDoor_limits_other_messages_and_strangers(t *testing.T) {
	t.Parallel()
	w := newLimitedWorld(t)
	caller, err := w.keys.Caller(t.Context(), w.bob.key)
	check(t, err)
	for key, subject := range map[string]limit.Subject{w.bob.key: limit.UserSubject(caller.UserID), "portico_guess": "ip:127.0.0.1"} {
		used := 0
		for w.door.Limiter.Take(t.Context(), subject, limit.All) == nil {
			used++
		}
		if used < 200 {
			t.Errorf("requests that passed: got %d, want the limit of all", used)
		}
		got := w.post(key, "/v1/mcp", listTools)
		equal(t, "status", got.status, http.StatusTooManyRequests)
		equal(t, "Retry-After", got.header.Get("Retry-After"), "60")
		equal(t, "body", got.body, `{"status":"error","message":"Rate limit exceeded","retry_after_seconds":60}`)
	}
}

func TestDoor_limits_requests_without_a_message(t *testing.T) {
	t.Parallel()
	w := newLimitedWorld(t)
	methods := []string{http.MethodGet, http.MethodDelete, http.MethodPut}
	for i := range 301 {
		got := w.request(methods[i%len(methods)], w.alice.key, "/v1/mcp", "")
		if got.status == http.StatusTooManyRequests {
			return
		}
		equal(t, "status", got.status, http.StatusMethodNotAllowed)
	}
	t.Error("requests that passed: got 301, want the limit of all")
}

// A batch is as many requests as it has messages, not one.
func TestDoor_counts_each_message_of_a_batch(t *testing.T) {
	t.Parallel()
	batch := func(count int, message string) string {
		messages := make([]string, count)
		for i := range messages { // each with an id of its own
			messages[i] = strings.ReplaceAll(message, "ID", strconv.Itoa(i))
		}
		return "[" + strings.Join(messages, ",") + "]"
	}
	const ping = `{"jsonrpc":"2.0","id":ID,"method":"ping"}`
	for name, body := range map[string]string{
		"pings":         batch(150, ping),
		"notifications": batch(150, `{"jsonrpc":"2.0","method":"notifications/initialized"}`),
		"calls":         batch(150, `{"jsonrpc":"2.0","id":ID,"method":"tools/call","params":{"name":"list_spaces","arguments":{}}}`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newLimitedWorld(t)
			if got := w.post(w.alice.key, "/v1/mcp", body); got.status >= 400 {
				t.Fatalf("first batch: got status %d: %s", got.status, got.body)
			}
			if got := w.post(w.alice.key, "/v1/mcp", batch(151, ping)); got.status != http.StatusTooManyRequests {
				t.Errorf("batch over the limit: got status %d, want 429", got.status)
			}
			if got := w.post(w.alice.key, "/v1/mcp", batch(301, ping)); got.status != http.StatusTooManyRequests {
				t.Errorf("batch that never fits: got status %d, want 429", got.status)
			}
		})
	}
}

func TestRequestsBesideCalls(t *testing.T) {
	t.Parallel()
	const call, ping = `{"jsonrpc": "2.0", "id": 1, "method": "tools/call"}`, `{"jsonrpc": "2.0", "id": 2, "method": "ping"}`
	for body, want := range map[string]int{
		call: 0, ping: 1, `[` + call + `,` + call + `]`: 0, `[` + call + `,` + ping + `,` + ping + `]`: 2,
		`[]`: 1, `no JSON`: 1,
	} {
		equal(t, "requests beside the calls of "+body, requestsBesideCalls([]byte(body), peek([]byte(body))), want)
	}
}
