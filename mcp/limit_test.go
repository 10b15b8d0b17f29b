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

const ping = `{"jsonrpc":"2.0","id":ID,"method":"ping"}`

// batchOf returns a batch of this many messages. ID in the message becomes a different id for each.
func batchOf(count int, message string) string {
	messages := make([]string, count)
	for i := range messages {
		messages[i] = strings.ReplaceAll(message, "ID", strconv.Itoa(i))
	}
	return "[" + strings.Join(messages, ",") + "]"
}

// A batch is as many requests as it has messages, not one.
func TestDoor_counts_each_message_of_a_batch(t *testing.T) {
	t.Parallel()
	for name, message := range map[string]string{
		"pings":         ping,
		"notifications": `{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		"calls":         `{"jsonrpc":"2.0","id":ID,"method":"tools/call","params":{"name":"list_spaces","arguments":{}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newLimitedWorld(t)
			post := func(what, body string, passes bool) {
				t.Helper()
				got := w.post(w.alice.key, "/v1/mcp", body)
				if passed := got.status < 400; passed != passes || !passes && got.status != http.StatusTooManyRequests {
					t.Fatalf("%s: got status %d: %s, want it to pass: %v", what, got.status, got.body, passes)
				}
			}
			for range 5 {
				post("batch", batchOf(maxBatch, message), true)
			}
			// The client of the account has sent a message before, so 49 are left.
			post("batch over the limit", batchOf(maxBatch, ping), false)
			post("batch of one message", batchOf(1, ping), true)
		})
	}
}

// The refusal counts as one request, so nobody can have long batches read without end.
func TestDoor_refuses_a_long_batch(t *testing.T) {
	t.Parallel()
	w := newLimitedWorld(t)
	const want = `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"A batch must have at most 50 messages"}}`
	bodies := []string{batchOf(maxBatch+1, ping), "[" + strings.Repeat("1,", testMaxBody/2-2) + "1]"}
	for i := range 301 {
		got := w.post(w.alice.key, "/v1/mcp", bodies[i%len(bodies)])
		if i > 250 && got.status == http.StatusTooManyRequests {
			return
		}
		if got.status != http.StatusBadRequest || got.body != want {
			t.Fatalf("batch %d: got status %d: %s, want 400: %s", i+1, got.status, got.body, want)
		}
	}
	t.Error("batches that were read: got 301, want the limit of all")
}

func TestSplitBatch_stops_after_the_maximum(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]int{
		``: 0, `{}`: 0, `7`: 0, `[]`: 0, `[1,{]`: 0, `[1, {"a":[2,3]}]`: 2,
		batchOf(maxBatch, ping): maxBatch, batchOf(maxBatch+1, ping): maxBatch + 1, batchOf(1000, ping): maxBatch + 1,
	} {
		equal(t, "messages of "+body[:min(len(body), 20)], len(splitBatch([]byte(" "+body+"\n"))), want)
	}
}

func TestRequestsBesideCalls_counts_all_but_calls_of_tools(t *testing.T) {
	t.Parallel()
	const call, other = `{"jsonrpc": "2.0", "id": 1, "method": "tools/call"}`, `{"jsonrpc": "2.0", "id": 2, "method": "ping"}`
	for body, want := range map[string]int{
		call: 0, other: 1, `[` + call + `,` + call + `]`: 0, `[` + call + `,` + other + `,` + other + `]`: 2,
		`[]`: 1, `no JSON`: 1, batchOf(maxBatch+1, call): 1,
	} {
		got := requestsBesideCalls(readMessage([]byte(body)), splitBatch([]byte(body)))
		equal(t, "requests beside the calls of "+body, got, want)
	}
}
