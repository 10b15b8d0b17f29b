package graph

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

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

// response is an answer, read.
type response struct {
	Data   json.RawMessage
	Errors []struct {
		Message    string
		Path       []any
		Extensions map[string]any
	}
}

func read(t testing.TB, answer string) response {
	t.Helper()
	var got response
	if err := json.Unmarshal([]byte(answer), &got); err != nil {
		t.Fatalf("answer: got %q, want JSON (%v)", answer, err)
	}
	return got
}

// query asks and returns the data of an answer without errors.
func (w *world) query(who account, query string, variables map[string]any) string {
	w.t.Helper()
	_, answer := w.ask(who, request(query, variables))
	got := read(w.t, answer)
	if len(got.Errors) > 0 {
		w.t.Fatalf("%s: got %s, want no errors", query, answer)
	}
	return string(got.Data)
}

// refused asks and returns the code and message of the one error.
func (w *world) refused(who account, body string) (code, message string) {
	w.t.Helper()
	_, answer := w.ask(who, body)
	got := read(w.t, answer)
	if len(got.Errors) != 1 {
		w.t.Fatalf("%.200s: got %s, want one error", body, answer)
	}
	code, _ = got.Errors[0].Extensions["code"].(string)
	return code, got.Errors[0].Message
}

func TestHandlerKey(t *testing.T) {
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
		{"wrong", "Bearer " + w.alice.key + "x", 401, `{"errors":[{"message":"Invalid or expired API key","extensions":{"code":"unauthenticated"}}]}`},
		{"malformed", "Bearer", 401, `{"errors":[{"message":"Invalid or expired API key","extensions":{"code":"unauthenticated"}}]}`},
		{"of another scheme", "Basic " + w.alice.key, 401, `{"errors":[{"message":"Invalid or expired API key","extensions":{"code":"unauthenticated"}}]}`},
		{"missing", "", 200, `{"errors":[{"message":"Invalid or expired API key","path":["viewer"],"locations":[{"line":1,"column":3}],"extensions":{"code":"unauthenticated"}}],"data":null}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.server.URL, strings.NewReader(viewer))
			check(t, err)
			r.Header.Set("Content-Type", "application/json")
			if test.authorization != "" {
				r.Header.Set("Authorization", test.authorization)
			}
			status, answer := w.do(r)
			equal(t, "status", status, test.status)
			equal(t, "answer", answer, test.want)
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
		status, answer := w.ask(w.alice, viewer)
		equal(t, "status", status, http.StatusInternalServerError)
		equal(t, "answer", answer, `{"errors":[{"message":"Internal server error","extensions":{"code":"internal"}}]}`)
		equal(t, "lines in the log", strings.Count(w.log.String(), "\n"), 1)
	})
}

func TestHandler_keeps_answers_out_of_caches(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, test := range []struct{ name, key, accept string }{
		{"an answer", w.alice.key, "application/json"},
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

func TestIntrospection(t *testing.T) {
	t.Parallel()
	body := request(`{ __schema { queryType { name } } }`, nil)
	for name, test := range map[string]struct {
		options HandlerOptions
		want    bool
	}{"on": {HandlerOptions{}, true}, "off": {HandlerOptions{NoIntrospection: true}, false}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := serveWorld(t, test.options)
			for _, who := range []account{w.alice, {}} {
				_, answer := w.ask(who, body)
				equal(t, "schema in "+answer, strings.Contains(answer, `"name":"Query"`), test.want)
				if got := read(t, answer); !test.want {
					equal(t, "errors", len(got.Errors), 1)
					equal(t, "message", got.Errors[0].Message, "__schema: introspection is off on this server")
					equal(t, "code", got.Errors[0].Extensions["code"], any("invalid"))
				}
			}
			equal(t, "log", w.log.String(), "")
		})
	}
}

// TestOperations runs every operation once over HTTP.
func TestOperations(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	get := func(query string, variables map[string]any, path ...string) string {
		t.Helper()
		value := decode(t, w.query(w.alice, query, variables))
		for _, name := range path {
			value = value.(map[string]any)[name]
		}
		return fmt.Sprint(value)
	}
	upload := func(name string) string {
		t.Helper()
		address := get(`mutation($in: CreateUpload!) { createUpload(input: $in) { url method headers { name value } expiresAt } }`,
			map[string]any{"in": map[string]any{"fileName": name, "fileSize": 10, "contentType": "application/zip"}}, "createUpload", "url")
		address, _, _ = strings.Cut(address, "?")
		w.send(address, 10)
		return address
	}
	const complete = `mutation($url: String!) { completeUpload(input: {fileUrl: $url}) { file { id resourceKey name contentType size url createdAt } job { id status } } }`
	address := upload("a.glb")
	key := get(complete, map[string]any{"url": address}, "completeUpload", "file", "resourceKey")
	equal(t, "file", get(`query($key: String!) { file(resourceKey: $key) { url } }`, map[string]any{"key": key}, "file", "url"), address)
	equal(t, "files", get(`{ files { nodes { id } edges { cursor node { id } } pageInfo { hasNextPage endCursor } totalCount } }`, nil, "files", "totalCount"), "1")
	jobID := get(complete, map[string]any{"url": upload("a.zip")}, "completeUpload", "job", "id")
	equal(t, "job", get(`query($id: ID!) { job(id: $id) { type progress message resourceKey url error createdAt updatedAt } }`, map[string]any{"id": jobID}, "job", "type"), "ZIP_PROCESSING")
	equal(t, "cancelJob", get(`mutation($id: ID!) { cancelJob(id: $id) { status error } }`, map[string]any{"id": jobID}, "cancelJob", "error"), "Canceled")
	equal(t, "jobs", get(`{ jobs { status } }`, nil, "jobs"), "[map[status:FAILED]]")

	spaceID := get(`mutation { createSpace(input: {type: HUB, privacy: LINK_ONLY, data: {a: 1}}) { id url title description visitCount createdAt changedAt } }`, nil, "createSpace", "id")
	space := map[string]any{"id": spaceID}
	equal(t, "space", get(`query($id: ID!) { space(id: $id) { privacy entities(first: 1) { totalCount pageInfo { hasNextPage } edges { cursor node { entityId } } } } }`, space, "space", "entities", "totalCount"), "7")
	equal(t, "spaces", get(`{ spaces(search: "untitled") { totalCount nodes { url } edges { node { type } } } }`, nil, "spaces", "totalCount"), "1")
	equal(t, "updateSpace", get(`mutation($id: ID!) { updateSpace(input: {spaceId: $id, title: "Hall", data: {b: 2}}) { title data } }`, space, "updateSpace", "data"), "map[a:1 b:2]")
	equal(t, "updateSpacePrivacy", get(`mutation($id: ID!) { updateSpacePrivacy(input: {spaceId: $id, privacy: PUBLIC}) { privacy } }`, space, "updateSpacePrivacy", "privacy"), "PUBLIC")
	equal(t, "createEntity", get(`mutation($id: ID!) { createEntity(input: {spaceId: $id, entityId: "chair"}) { created entity { id type } } }`, space, "createEntity", "entity", "id"), spaceID+"/chair")
	equal(t, "updateEntity", get(`mutation($id: ID!) { updateEntity(input: {spaceId: $id, entityId: "chair", data: {a: [1, {b: null}]}}) { data state } }`, space, "updateEntity", "data"), "map[a:[1 map[b:<nil>]]]")
	equal(t, "entity", get(`query($id: ID!) { entity(spaceId: $id, entityId: "chair") { spaceId entityId createdAt changedAt } }`, space, "entity", "entityId"), "chair")
	equal(t, "deleteEntity", get(`mutation($id: ID!) { deleteEntity(spaceId: $id, entityId: "chair") }`, space, "deleteEntity"), "chair")
	equal(t, "deleteSpace", get(`mutation($id: ID!) { deleteSpace(id: $id) }`, space, "deleteSpace"), spaceID)
	equal(t, "viewer", get(`{ viewer { id name plan storage { used promised free quota } } }`, nil, "viewer", "storage"), "map[free:9990 promised:0 quota:10000 used:10]")
}

func TestHandlerErrors(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.space(w.alice, model.SpaceInfinite)
	bobs := w.space(w.bob, model.SpaceInfinite)
	const create = `mutation($in: CreateUpload!) { createUpload(input: $in) { url } }`
	upload := func(name string, size any) string {
		return request(create, map[string]any{"in": map[string]any{"fileName": name, "fileSize": size, "contentType": "a/b"}})
	}
	for _, test := range []struct{ name, body, code, message string }{
		{"not found", request(`{ space(id: "x") { id } }`, nil), "not_found", "Space not found"},
		{"forbidden", request(`{ space(id: "`+bobs.ID+`") { id } }`, nil), "forbidden", spaceForbidden},
		{"invalid", upload("a.exe", 1), "invalid", ""},
		{"too large", upload("a.glb", testMaxFile+1), "too_large", ""},
		{"in a field", request(`{ space(id: "`+space.ID+`") { entities(first: 0) { totalCount } } }`, nil), "invalid", "limit must be a whole number of at least 1"},
		{"a size that is no number", upload("a.glb", "many"), "invalid", "input.fileSize: must be a whole number"},
		{"a size with a fraction", upload("a.glb", 1.5), "invalid", "input.fileSize: must be a whole number"},
		{"data that is no object", request(`mutation($d: JSON!) { updateEntity(input: {spaceId: "x", entityId: "y", data: $d}) { id } }`, map[string]any{"d": []int{1}}), "invalid", "input.data: must be a JSON object"},
		{"data that is no object, in the text", request(`mutation { createSpace(input: {data: "x"}) { id } }`, nil), "invalid", "input.data: must be a JSON object"},
		{"an enum that is none", request(`mutation { createSpace(input: {privacy: SECRET}) { id } }`, nil), "GRAPHQL_VALIDATION_FAILED", ""},
		{"an enum that is none, as a variable", request(`mutation($p: Privacy) { createSpace(input: {privacy: $p}) { id } }`, map[string]any{"p": "Public"}), "invalid", "Invalid privacy option"},
		{"a missing variable", request(create, nil), "GRAPHQL_VALIDATION_FAILED", ""},
		{"a missing field of an input", request(create, map[string]any{"in": map[string]any{"fileName": "a.glb"}}), "GRAPHQL_VALIDATION_FAILED", ""},
		{"an unknown field", request(`{ viewer { emial } }`, nil), "GRAPHQL_VALIDATION_FAILED", `Cannot query field "emial" on type "Viewer".`},
		{"syntax", request(`{ viewer {`, nil), "GRAPHQL_PARSE_FAILED", ""},
		{"no operation", request(``, nil), "GRAPHQL_VALIDATION_FAILED", "no operation provided"},
		{"an unknown operation", `{"query":"query A { viewer { id } }","operationName":"B"}`, "GRAPHQL_VALIDATION_FAILED", "operation B not found"},
		{"a batch", `[{"query":"{ viewer { id } }"}]`, "invalid", "Batches are not supported, send one operation at a time"},
		{"no JSON", `{`, "invalid", "The request is not valid JSON"},
		{"a large body", `{"query":"` + strings.Repeat(" ", 1<<20) + `"}`, "too_large", "Body is larger than 1048576 bytes"},
		{"a subscription", request(`subscription { job(id: "x") { id } }`, nil), "invalid", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			code, message := w.refused(w.alice, test.body)
			equal(t, "code", code, test.code)
			if test.message != "" {
				equal(t, "message", message, test.message)
			}
		})
	}
	t.Cleanup(func() { equal(t, "log", w.log.String(), "") })
}

// TestInternalErrors holds that clients learn nothing of them but where, and
// that the log tells each once.
func TestInternalErrors(t *testing.T) {
	t.Parallel()
	t.Run("of a root field", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.exec("ALTER TABLE jobs RENAME TO jobs_away")
		_, answer := w.ask(w.alice, request(`{ jobs { id } viewer { email } }`, nil))
		equal(t, "answer", answer, `{"errors":[{"message":"Internal server error","path":["jobs"],"locations":[{"line":1,"column":3}],"extensions":{"code":"internal"}}],"data":null}`)
		equal(t, "lines in the log", strings.Count(w.log.String(), "\n"), 1)
		if !strings.Contains(w.log.String(), `relation \"jobs\" does not exist`) {
			t.Errorf("log: got %s, want the cause", w.log)
		}
	})
	t.Run("of a field in a list", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.space(w.alice, model.SpaceInfinite)
		w.space(w.alice, model.SpaceInfinite)
		w.exec("ALTER TABLE entities RENAME TO entities_away")
		_, answer := w.ask(w.alice, request(`{ spaces { nodes { all: entities { totalCount } } } }`, nil))
		got := read(t, answer)
		paths := map[string]bool{}
		for _, e := range got.Errors {
			equal(t, "message", e.Message, "Internal server error")
			paths[fmt.Sprint(e.Path)] = true
		}
		if !paths["[spaces nodes 0 all]"] || !paths["[spaces nodes 1 all]"] || len(got.Errors) != 2 {
			t.Errorf("errors: got %s, want one for each node", answer)
		}
		equal(t, "lines in the log", strings.Count(w.log.String(), "\n"), 2)
	})
	t.Run("of a panic", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.file(w.alice, "a.glb")
		w.Store = nil
		_, answer := w.ask(w.alice, request(`{ files { nodes { url } } }`, nil))
		equal(t, "answer", answer, `{"errors":[{"message":"Internal server error","path":["files","nodes",0,"url"],"extensions":{"code":"internal"}}],"data":null}`)
		equal(t, "panics in the log", strings.Count(w.log.String(), "panic: "), 1)
		if !strings.Contains(w.log.String(), "graph/address.go") {
			t.Errorf("log: got %s, want the stack", w.log)
		}
	})
}

// TestNumbers holds that client JSON keeps the text of its numbers.
func TestNumbers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.space(w.alice, model.SpaceInfinite)
	const data = `{"big":12345678901234567890,"html":"<a href='x'>&</a>","long":0.1234567890123456789,"tenth":1.10}`
	body := `{"query":"mutation($id: ID!, $data: JSON!) { createEntity(input: {spaceId: $id, entityId: \"n\", data: $data}) { entity { data } } }",` +
		`"variables":{"id":"` + space.ID + `","data":` + data + `}}`
	_, answer := w.ask(w.alice, body)
	equal(t, "answer to the mutation", answer, `{"data":{"createEntity":{"entity":{"data":`+answered(t, answer)+`}}}}`)
	checkData(t, model.Object(answered(t, answer)), data)
	stored := w.query(w.alice, `query($id: ID!) { entity(spaceId: $id, entityId: "n") { data } }`, map[string]any{"id": space.ID})
	for _, number := range []string{"12345678901234567890", "1.10", "0.1234567890123456789", "<a href='x'>&</a>"} {
		if !strings.Contains(stored, number) {
			t.Errorf("stored data: got %s, want %s in it", stored, number)
		}
	}
}

// answered returns the data of the entity that createEntity answered with.
func answered(t testing.TB, answer string) string {
	t.Helper()
	var got struct {
		Data struct {
			CreateEntity struct {
				Entity struct{ Data json.RawMessage }
			}
		}
	}
	check(t, json.Unmarshal([]byte(answer), &got))
	return string(got.Data.CreateEntity.Entity.Data)
}

func TestPersistedQueries(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const query = "{ viewer { email } }"
	const want = `{"data":{"viewer":{"email":"alice@example.com"}}}`
	persisted := func(text, hash string) string {
		body := map[string]any{"extensions": map[string]any{"persistedQuery": map[string]any{"version": 1, "sha256Hash": hash}}}
		if text != "" {
			body["query"] = text
		}
		b, err := json.Marshal(body)
		check(t, err)
		return string(b)
	}
	hash := fmt.Sprintf("%x", sha256.Sum256([]byte(query)))
	code, message := w.refused(w.alice, persisted("", hash))
	equal(t, "code", code, "PERSISTED_QUERY_NOT_FOUND")
	equal(t, "message", message, "PersistedQueryNotFound")
	code, _ = w.refused(w.alice, persisted("{ jobs { id } }", hash))
	equal(t, "code for another hash", code, "invalid")
	for _, text := range []string{query, "", ""} {
		_, answer := w.ask(w.alice, persisted(text, hash))
		equal(t, "answer", answer, want)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.server.URL+"?extensions="+
		url.QueryEscape(`{"persistedQuery":{"version":1,"sha256Hash":"`+hash+`"}}`), nil)
	check(t, err)
	r.Header.Set("Authorization", "Bearer "+w.alice.key)
	_, answer := w.do(r)
	equal(t, "answer by GET", answer, want)
}

func TestGet(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	get := func(query string) (int, string) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.server.URL+"?query="+url.QueryEscape(query), nil)
		check(t, err)
		r.Header.Set("Authorization", "Bearer "+w.alice.key)
		return w.do(r)
	}
	status, answer := get(`{ viewer { email } }`)
	equal(t, "status", status, http.StatusOK)
	equal(t, "answer", answer, `{"data":{"viewer":{"email":"alice@example.com"}}}`)
	status, answer = get(`mutation { createSpace(input: {}) { id } }`)
	equal(t, "status of a mutation", status, http.StatusMethodNotAllowed)
	equal(t, "answer to a mutation", answer, `{"errors":[{"message":"A mutation needs POST","extensions":{"code":"invalid"}}]}`)
	spaces, err := w.Query().Spaces(w.alice.ctx, nil, nil, nil)
	check(t, err)
	equal(t, "spaces", spaces.TotalCount, 0)
}
