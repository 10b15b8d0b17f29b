package graph_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"portico/graph/door"
	"portico/model"
)

// request is the body of a POST.
func request(query string, variables map[string]any) string {
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	if err != nil {
		panic(err) // a mistake of the test
	}
	return string(body)
}

// response is a decoded response.
type response struct {
	Data   json.RawMessage
	Errors []struct {
		Message    string
		Path       []any
		Extensions map[string]any
	}
}

func read(t testing.TB, text string) response {
	t.Helper()
	var got response
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatalf("response: got %q, want JSON (%v)", text, err)
	}
	return got
}

// query asks and returns the data of a response without errors.
func (w *world) query(who account, query string, variables map[string]any) string {
	w.t.Helper()
	_, response := w.ask(who, request(query, variables))
	got := read(w.t, response)
	if len(got.Errors) > 0 {
		w.t.Fatalf("%s: got %s, want no errors", query, response)
	}
	return string(got.Data)
}

// refused asks and returns the code and message of the one error.
func (w *world) refused(who account, body string) (code, message string) {
	w.t.Helper()
	_, response := w.ask(who, body)
	got := read(w.t, response)
	if len(got.Errors) != 1 {
		w.t.Fatalf("%.200s: got %s, want one error", body, response)
	}
	code, _ = got.Errors[0].Extensions["code"].(string)
	return code, got.Errors[0].Message
}

func TestHandler_checks_the_key(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	viewer := request(`{ viewer { email } }`, nil)
	for _, test := range []struct {
		name, authorization string
		status              int
		want                string
	}{
		{"good", "Bearer " + w.alice.key, 200, `{"data":{"viewer":{"email":"alice@example.com"}}}`},
		{"of another case", "bearer " + w.alice.key, 200, `{"data":{"viewer":{"email":"alice@example.com"}}}`},
		{"wrong", "Bearer " + w.alice.key + "x", 401, `{"errors":[{"message":"Invalid or expired API key","extensions":{"code":"UNAUTHENTICATED"}}]}`},
		{"malformed", "Bearer", 401, `{"errors":[{"message":"Invalid or expired API key","extensions":{"code":"UNAUTHENTICATED"}}]}`},
		{"of another scheme", "Basic " + w.alice.key, 401, `{"errors":[{"message":"Invalid or expired API key","extensions":{"code":"UNAUTHENTICATED"}}]}`},
		{"missing", "", 200, `{"errors":[{"message":"Invalid or expired API key","path":["viewer"],"locations":[{"line":1,"column":3}],"extensions":{"code":"UNAUTHENTICATED"}}],"data":{"viewer":null}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.server.URL, strings.NewReader(viewer))
			check(t, err)
			r.Header.Set("Content-Type", "application/json")
			if test.authorization != "" {
				r.Header.Set("Authorization", test.authorization)
			}
			status, response := w.do(r)
			equal(t, "status", status, test.status)
			equal(t, "response", response, test.want)
		})
	}
	t.Run("revoked", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.exec("UPDATE api_keys SET revoked_at = now()")
		status, _ := w.ask(w.alice, viewer)
		equal(t, "status", status, http.StatusUnauthorized)
	})
	t.Run("when the database is away", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.exec("ALTER TABLE api_keys RENAME TO keys_away")
		status, response := w.ask(w.alice, viewer)
		equal(t, "status", status, http.StatusInternalServerError)
		equal(t, "response", response, `{"errors":[{"message":"Internal server error","extensions":{"code":"INTERNAL"}}]}`)
		equal(t, "lines in the log", strings.Count(w.log.String(), "\n"), 1)
	})
}

func TestHandler_keeps_answers_out_of_caches(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, test := range []struct{ name, key, accept string }{
		{"a response", w.alice.key, "application/json"},
		{"a stream", w.alice.key, "text/event-stream"},
		{"a refusal", "none", "application/json"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.server.URL, strings.NewReader(request(`{ viewer { email } }`, nil)))
			check(t, err)
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Accept", test.accept)
			r.Header.Set("Authorization", "Bearer "+test.key)
			response, err := http.DefaultClient.Do(r)
			check(t, err)
			check(t, response.Body.Close())
			equal(t, "Cache-Control", response.Header.Get("Cache-Control"), "no-store")
			equal(t, "X-Content-Type-Options", response.Header.Get("X-Content-Type-Options"), "nosniff")
		})
	}
}

func TestIntrospection_can_be_turned_off(t *testing.T) {
	t.Parallel()
	body := request(`{ __schema { queryType { name } } }`, nil)
	for name, test := range map[string]struct {
		options door.HandlerOptions
		want    bool
	}{"on": {door.HandlerOptions{}, true}, "off": {door.HandlerOptions{NoIntrospection: true}, false}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := serveWorld(t, test.options)
			for _, who := range []account{w.alice, {}} {
				_, response := w.ask(who, body)
				equal(t, "schema in "+response, strings.Contains(response, `"name":"Query"`), test.want)
				if got := read(t, response); !test.want {
					equal(t, "errors", len(got.Errors), 1)
					equal(t, "message", got.Errors[0].Message, "__schema: introspection is off on this server")
					equal(t, "code", got.Errors[0].Extensions["code"], any("INVALID"))
				}
			}
			equal(t, "log", w.log.String(), "")
		})
	}
}

// The test checks that client JSON keeps the text of its numbers.
func TestHandler_keeps_the_text_of_numbers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.space(w.alice, model.SpaceInfinite)
	const data = `{"big":12345678901234567890,"html":"<a href='x'>&</a>","long":0.1234567890123456789,"tenth":1.10}`
	body := `{"query":"mutation($id: ID!, $data: JSON!) { createEntity(input: {spaceId: $id, entityId: \"n\", data: $data}) { entity { data } } }",` +
		`"variables":{"id":"` + space.ID + `","data":` + data + `}}`
	_, response := w.ask(w.alice, body)
	equal(t, "response to the mutation", response, `{"data":{"createEntity":{"entity":{"data":`+dataOf(t, response)+`}}}}`)
	checkData(t, model.Object(dataOf(t, response)), data)
	stored := w.query(w.alice, `query($id: ID!) { entity(spaceId: $id, entityId: "n") { data } }`, map[string]any{"id": space.ID})
	for _, number := range []string{"12345678901234567890", "1.10", "0.1234567890123456789", "<a href='x'>&</a>"} {
		if !strings.Contains(stored, number) {
			t.Errorf("stored data: got %s, want %s in it", stored, number)
		}
	}
}

// dataOf returns the data of the entity in the response of createEntity.
func dataOf(t testing.TB, response string) string {
	t.Helper()
	var got struct {
		Data struct {
			CreateEntity struct {
				Entity struct{ Data json.RawMessage }
			}
		}
	}
	check(t, json.Unmarshal([]byte(response), &got))
	return string(got.Data.CreateEntity.Entity.Data)
}

func TestHandler_refuses_mutations_with_GET(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	get := func(query string) (int, string) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.server.URL+"?query="+url.QueryEscape(query), nil)
		check(t, err)
		r.Header.Set("Authorization", "Bearer "+w.alice.key)
		return w.do(r)
	}
	status, response := get(`{ viewer { email } }`)
	equal(t, "status", status, http.StatusOK)
	equal(t, "response", response, `{"data":{"viewer":{"email":"alice@example.com"}}}`)
	status, response = get(`mutation { createSpace(input: {}) { space { id } } }`)
	equal(t, "status of a mutation", status, http.StatusMethodNotAllowed)
	equal(t, "response to a mutation", response, `{"errors":[{"message":"A mutation needs POST","extensions":{"code":"INVALID"}}]}`)
	spaces, err := w.Query().Spaces(w.alice.ctx, nil, nil, nil)
	check(t, err)
	equal(t, "spaces", spaces.TotalCount, 0)
}
