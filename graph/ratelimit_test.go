package graph_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"portico/graph/door"
	"portico/limit"
	"portico/model"
)

// limited returns a world with a stopped clock, so that no window of a limit ends.
func limited(t *testing.T) *world {
	t.Helper()
	began := time.Now()
	limiter, err := limit.New(limit.Options{Now: func() time.Time { return began }})
	check(t, err)
	return serveWorld(t, door.HandlerOptions{Limiter: limiter})
}

// aliased returns a document that selects the field n times.
func aliased(operation, field string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, " a%d: %s", i, field)
	}
	return operation + " {" + b.String() + " }"
}

const uploadField = `createUpload(input: {fileName: "a.ply", fileSize: 1, contentType: "a/b"}) { upload { url } }`

// jobNode is the id of a job, as a literal.
var jobNode = `"` + model.NodeID(model.NodeJob, "x") + `" `

func TestRateLimit_counts_each_operation_in_the_scope_of_its_REST_equal(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, fits, over string
		times            int // how many times the first runs before the second is refused
	}{
		{"uploads, by alias", aliased("mutation", uploadField, 20), "mutation { " + uploadField + " }", 1},
		{"jobs", `{ job(id: "x") { id } }`, `{ job(id: "x") { id } }`, 120},
		{"uploads in a fragment", "mutation { ...f } fragment f on Mutation { " + uploadField + " }", "mutation { " + uploadField + " }", 20},
		{"privacy", `mutation { updateSpace(input: {spaceId: "x", privacy: PUBLIC}) { space { id } } }`, `mutation { updateSpacePrivacy(input: {spaceId: "x", privacy: PUBLIC}) { space { id } } }`, 60},
		{"keys, by alias", aliased("mutation", "generateApiKey @include(if: false) { apiKey }", 20), "mutation { generateApiKey { apiKey } }", 1},
		{"jobs by their nodes", `{ nodes(ids: [` + strings.Repeat(jobNode, 60) + `]) { id } }`, `{ job(id: "x") { id } }`, 2},
		{"a job by its node", `{ node(id: ` + jobNode + `) { id } }`, `{ nodes(ids: ` + jobNode + `) { id } }`, 120},
		{"every node", `{ nodes(ids: [` + strings.Repeat(`"x",`, 100) + `]) { id } }`, `{ viewer { id } }`, 3},
		{"no nodes", `{ nodes(ids: []) { id } }`, `{ viewer { id } }`, 300},
		{"everything", `{ viewer { id } }`, `{ __typename }`, 300},
		{"the schema", `{ __typename }`, `{ viewer { id } }`, 300},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := limited(t)
			for i := range test.times {
				if status, response := w.ask(w.alice, request(test.fits, nil)); strings.Contains(response, "RATE_LIMITED") {
					t.Fatalf("request %d: got %d %s, want it to pass", i+1, status, response)
				}
			}
			code, message := w.refused(w.alice, request(test.over, nil))
			equal(t, "code", code, "RATE_LIMITED")
			equal(t, "message", message, "Rate limit exceeded")
		})
	}
}

func TestRateLimit_refuses_a_document_as_a_whole(t *testing.T) {
	t.Parallel()
	w := limited(t)
	// It can never pass, so it names no time to come back.
	status, response := w.ask(w.alice, request(aliased("mutation", uploadField, 21), nil))
	equal(t, "status of 21 uploads", status, http.StatusOK)
	equal(t, "response to 21 uploads", strings.TrimSpace(response), `{"errors":[{"message":"Rate limit exceeded: the request has more operations than a minute allows","extensions":{"code":"RATE_LIMITED","cost":21,"limit":20}}]}`)
	w.query(w.alice, aliased("mutation", uploadField, 20), nil) // nothing was counted for the 21
	w.query(w.bob, "mutation { "+uploadField+" }", nil)         // another key has its own
}

func TestRateLimit_reads_privacy_from_variables(t *testing.T) {
	t.Parallel()
	w := limited(t)
	const document = `mutation($in: UpdateSpaceInput!) { updateSpace(input: $in) { space { id } } }`
	change := func(fields map[string]any) string {
		_, response := w.ask(w.alice, request(document, map[string]any{"in": fields}))
		return response
	}
	for range 60 {
		if response := change(map[string]any{"spaceId": "x", "privacy": "PRIVATE"}); strings.Contains(response, "RATE_LIMITED") {
			t.Fatalf("change of privacy: got %s, want it to pass", response)
		}
	}
	if response := change(map[string]any{"spaceId": "x", "privacy": "PRIVATE"}); !strings.Contains(response, "RATE_LIMITED") {
		t.Errorf("61st change of privacy: got %s, want rate_limited", response)
	}
	if response := change(map[string]any{"spaceId": "x", "title": "x"}); strings.Contains(response, "RATE_LIMITED") {
		t.Errorf("change of the title: got %s, want it to pass", response)
	}
}

// Clients usually send the ids of nodes as a variable.
func TestRateLimit_reads_nodes_from_variables(t *testing.T) {
	t.Parallel()
	w := limited(t)
	var ids []string
	for i := range 100 {
		ids = append(ids, model.NodeID(model.NodeJob, fmt.Sprint(i)))
	}
	const document = `query($ids: [ID!]!) { nodes(ids: $ids) { id } }`
	w.query(w.alice, document, map[string]any{"ids": ids})
	w.query(w.alice, document, map[string]any{"ids": ids[:20]})
	code, _ := w.refused(w.alice, request(document, map[string]any{"ids": ids[:1]}))
	equal(t, "code of job 121", code, "RATE_LIMITED")
}

func TestRateLimit_counts_for_the_account(t *testing.T) {
	t.Parallel()
	w := limited(t)
	w.query(w.alice, aliased("mutation", uploadField, 20), nil)
	var made struct{ GenerateAPIKey struct{ APIKey string } }
	check(t, json.Unmarshal([]byte(w.query(w.alice, "mutation { generateApiKey { apiKey } }", nil)), &made))
	w.alice.key = made.GenerateAPIKey.APIKey
	code, _ := w.refused(w.alice, request("mutation { "+uploadField+" }", nil))
	equal(t, "code with the new key", code, "RATE_LIMITED")
}

func TestRateLimit_counts_requests_without_a_valid_key_for_their_address(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"", "Bearer portico_guess"} {
		t.Run("key "+key, func(t *testing.T) {
			t.Parallel()
			w := limited(t)
			ask := func() (int, string) {
				body := strings.NewReader(request("{ __typename }", nil))
				r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.server.URL, body)
				check(t, err)
				r.Header.Set("Content-Type", "application/json")
				if key != "" {
					r.Header.Set("Authorization", key)
				}
				return w.do(r)
			}
			for i := range 300 {
				if status, response := ask(); status == http.StatusTooManyRequests {
					t.Fatalf("request %d: got %d %s, want it to pass", i+1, status, response)
				}
			}
			status, response := ask()
			equal(t, "status of the 301st", status, http.StatusTooManyRequests)
			if !strings.Contains(response, `"code":"RATE_LIMITED"`) || !strings.Contains(response, `"cost":1,"limit":300,"remaining":0,"retryAfterSeconds":60`) {
				t.Errorf("response: got %s, want rate_limited, the budget and 60 seconds", response)
			}
			w.query(w.alice, "{ viewer { id } }", nil) // a valid key is not held up
		})
	}
}

// The refusal of a document has its cost and the rest of the limit, so that a client can send less.
func TestRateLimit_returns_the_budget_that_is_left(t *testing.T) {
	t.Parallel()
	w := limited(t)
	uploads := func(count int) string { return request(aliased("mutation", uploadField, count), nil) }
	if _, body := w.ask(w.alice, uploads(18)); strings.Contains(body, "rate_limited") {
		t.Fatalf("18 uploads: got %s, want them to pass", body)
	}
	for accept, status := range map[string]int{
		"application/json": http.StatusOK, "application/graphql-response+json": http.StatusTooManyRequests,
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.server.URL, strings.NewReader(uploads(3)))
		check(t, err)
		r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {accept}, "Authorization": {"Bearer " + w.alice.key}}
		response, err := http.DefaultClient.Do(r)
		check(t, err)
		body, err := io.ReadAll(response.Body)
		check(t, errors.Join(err, response.Body.Close()))
		equal(t, "status", response.StatusCode, status)
		equal(t, "Retry-After", response.Header.Get("Retry-After"), "60")
		want := `"extensions":{"code":"RATE_LIMITED","cost":3,"limit":20,"remaining":2,"retryAfterSeconds":60}`
		if !strings.Contains(string(body), want) {
			t.Errorf("response: got %s, want %s", body, want)
		}
	}
}

func TestUpdateSpaceOperation_counts_privacy_in_its_own_scope(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		setsPrivacy bool
		want        string
		scope       limit.Scope
	}{
		{true, "updateSpacePrivacy", limit.UpdatePrivacy},
		{false, "updateSpace", limit.All},
	} {
		got := limit.UpdateSpaceOperation(test.setsPrivacy)
		if scope := limit.ScopeOf(got); got != test.want || scope != test.scope {
			t.Errorf("UpdateSpaceOperation(%t): got %q in %q, want %q in %q", test.setsPrivacy, got, scope, test.want, test.scope)
		}
	}
}
