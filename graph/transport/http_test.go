package transport

import (
	"cmp"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"

	"portico/model"
)

const (
	internalText = `{"errors":[{"message":"Internal server error","extensions":{"code":"INTERNAL"}}]}`
	unknownField = `{"errors":[{"message":"Cannot query field \"nope\" on type \"Query\".","locations":[{"line":1,"column":3}],"extensions":{"code":"GRAPHQL_VALIDATION_FAILED"}}]}`
)

func invalid(message string) string {
	return `{"errors":[{"message":"` + message + `","extensions":{"code":"INVALID"}}]}`
}

// TestPost has a row per rule of "GraphQL over HTTP" for POST.
// post is a request by POST and its response.
type post struct {
	name, contentType, accept, body string
	status                          int
	want                            string
}

func TestPost(t *testing.T) {
	t.Parallel()
	checkPosts(t, []post{
		{"runs a query", "", "", `{"query":"{hello}"}`, 200, `{"data":{"hello":"hello"}}`},
		{"runs a mutation", "", "", `{"query":"mutation{set(value:3)}"}`, 200, `{"data":{"set":3}}`},
		{"takes nulls", "", "", `{"query":"{hello}","variables":null,"operationName":null,"extensions":null}`, 200, `{"data":{"hello":"hello"}}`},
		{"takes UTF-8", "application/json; charset=UTF-8", "", `{"query":"{hello}"}`, 200, `{"data":{"hello":"hello"}}`},
		{"keeps the text of numbers", "", "", `{"query":"query($v:JSON){echo(value:$v)}","variables":{"v":[12345678901234567890,1e400,1.10]}}`, 200, `{"data":{"echo":[12345678901234567890,1e400,1.10]}}`},
		{"leaves documents as they are", "", "", `{"query":"{document}"}`, 200, `{"data":{"document":` + document + `}}`},
		{"answers errors of fields with data", "", mediaResponse, `{"query":"{fails}"}`, 200, `{"errors":[{"message":"Space not found","extensions":{"code":"NOT_FOUND"}}],"data":{"fails":null}}`},
		{"takes an empty document for one that does not parse", "", "", `{"query":""}`, 200, `{"errors":[{"message":"no operation provided","extensions":{"code":"GRAPHQL_VALIDATION_FAILED"}}]}`},
		{"leaves a persisted query to its extension", "", "", `{"extensions":{"persistedQuery":{}}}`, 200, `{"errors":[{"message":"no operation provided","extensions":{"code":"GRAPHQL_VALIDATION_FAILED"}}]}`},
		{"answers 200 to an invalid document for old clients", "", mediaJSON, `{"query":"{ nope }"}`, 200, unknownField},
		{"answers 400 to an invalid document for new clients", "", mediaResponse, `{"query":"{ nope }"}`, 400, unknownField},
		{"answers 200 to a subscription for old clients", "", mediaJSON, `{"query":"subscription{wait}"}`, 200, invalid("A subscription needs a WebSocket or Accept: text/event-stream")},
		{"answers 400 to a subscription for new clients", "", mediaResponse, `{"query":"subscription{wait}"}`, 400, invalid("A subscription needs a WebSocket or Accept: text/event-stream")},
		{"refuses @defer", "", mediaResponse, `{"query":"{deferred}"}`, 400, invalid("@defer needs a WebSocket or Accept: text/event-stream")},
		{"answers 403 to what is forbidden", "", mediaResponse, `{"query":"{denied}"}`, 403, `{"errors":[{"message":"No <entry>","extensions":{"code":"FORBIDDEN"}}]}`},
		{"turns a panic into an error", "", mediaJSON, `{"query":"{panics}"}`, 500, internalText},
		{"turns no answer into an error", "", mediaResponse, `{"query":"{ended}"}`, 500, internalText},
	})
}

func TestPost_refuses_what_is_not_an_operation(t *testing.T) {
	t.Parallel()
	checkPosts(t, []post{
		{"a form", "application/x-www-form-urlencoded", "", `query={hello}`, 415, invalid("Content-Type must be application/json in UTF-8")},
		{"text, which a form can send", "text/plain", "", `{"query":"{hello}"}`, 415, invalid("Content-Type must be application/json in UTF-8")},
		{"no type", "none", "", `{"query":"{hello}"}`, 415, invalid("Content-Type must be application/json in UTF-8")},
		{"another charset", "application/json; charset=latin1", "", `{"query":"{hello}"}`, 415, invalid("Content-Type must be application/json in UTF-8")},
		{"a type it cannot answer", "", "text/html", `{"query":"{hello}"}`, 406, invalid("Accept must include application/graphql-response+json or application/json")},
		{"no body", "", "", ``, 400, invalid("The request is not valid JSON")},
		{"malformed JSON", "", "", `{"query`, 400, invalid("The request is not valid JSON")},
		{"more after the JSON", "", "", `{"query":"{hello}"} {}`, 400, invalid("The request is not valid JSON")},
		{"another encoding", "", "", "{\"query\":\"\xff\"}", 400, invalid("The request must be valid UTF-8")},
		{"null", "", "", `null`, 400, invalid("The request must be a JSON object")},
		{"a string", "", "", `"{hello}"`, 400, invalid("The request must be a JSON object")},
		{"a batch", "", "", ` [{"query":"{hello}"}]`, 400, invalid("Batches are not supported. Send one operation at a time")},
		{"no query", "", "", `{}`, 400, invalid("query must be a string")},
		{"a query in other letters", "", "", `{"Query":"{hello}"}`, 400, invalid("query must be a string")},
		{"a query of null", "", mediaResponse, `{"query":null}`, 400, invalid("query must be a string")},
		{"a query of another type", "", "", `{"query":{"a":1}}`, 400, invalid("query must be a string")},
		{"variables of another type", "", "", `{"query":"{hello}","variables":[1]}`, 400, invalid("variables must be an object")},
		{"an operationName of another type", "", "", `{"query":"{hello}","operationName":0}`, 400, invalid("operationName must be a string")},
		{"extensions of another type", "", "", `{"query":"{hello}","extensions":"x"}`, 400, invalid("extensions must be an object")},
		{"a large body", "", "", `{"query":"{hello}","x":"` + strings.Repeat("x", 1000) + `"}`, 413, `{"errors":[{"message":"Body is larger than 1000 bytes","extensions":{"code":"TOO_LARGE"}}]}`},
	})
}

// checkPosts sends each request to a server and compares its response.
func checkPosts(t *testing.T, posts []post) {
	t.Helper()
	server, _ := newServer(t)
	for _, test := range posts {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			request := newRequest(t, http.MethodPost, server.URL, test.body)
			request.Header.Set("Content-Type", cmp.Or(test.contentType, mediaJSON))
			if test.contentType == "none" {
				request.Header.Del("Content-Type")
			}
			if test.accept != "" {
				request.Header.Set("Accept", test.accept)
			}
			response, body := do(t, server, request)
			if got, want := response.StatusCode, test.status; got != want {
				t.Errorf("status: got %d, want %d", got, want)
			}
			if got, want := body, test.want; got != want {
				t.Errorf("body: got %s, want %s", got, want)
			}
			media := mediaJSON
			if test.accept == mediaResponse {
				media = mediaResponse
			}
			if got, want := response.Header.Get("Content-Type"), media+"; charset=utf-8"; got != want {
				t.Errorf("Content-Type: got %q, want %q", got, want)
			}
		})
	}
}

// TestMethods has a row per method other than POST.
func TestMethods(t *testing.T) {
	t.Parallel()
	server, _ := newServer(t)
	for _, test := range []struct {
		name, method, query string
		status              int
		allow, want         string
	}{
		{"GET runs a query", "GET", "query={hello}", 200, "", `{"data":{"hello":"hello"}}`},
		{"GET reads variables", "GET", `query=query Q($v:JSON){echo(value:$v)}&operationName=Q&variables={"v":1.10}&extensions={}`, 200, "", `{"data":{"echo":1.10}}`},
		{"GET runs no mutation", "GET", "query=mutation{set(value:1)}", 405, "POST", invalid("A mutation needs POST")},
		{"GET runs no subscription", "GET", "query=subscription{wait}", 200, "", invalid("A subscription needs a WebSocket or Accept: text/event-stream")},
		{"GET needs a query", "GET", "", 400, "", invalid("query must be a string")},
		{"GET refuses variables of another type", "GET", `query={hello}&variables=[1]`, 400, "", invalid("variables must be an object")},
		{"GET refuses more after the variables", "GET", `query={hello}&variables={}{}`, 400, "", invalid("variables must be an object")},
		{"GET refuses extensions of another type", "GET", `query={hello}&extensions="x"`, 400, "", invalid("extensions must be an object")},
		{"GET refuses a long address", "GET", "query=" + strings.Repeat("x", 1000), 414, "", `{"errors":[{"message":"Address is larger than 1000 bytes","extensions":{"code":"TOO_LARGE"}}]}`},
		{"GET refuses a malformed address", "GET", "query=%zz", 400, "", invalid("The address is not well formed")},
		{"PUT is refused", "PUT", "query={hello}", 405, "GET, POST", invalid("PUT is not a method of GraphQL")},
		{"OPTIONS lists the methods", "OPTIONS", "", 204, "GET, POST, OPTIONS", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			request := newRequest(t, test.method, server.URL, "")
			request.URL.RawQuery = strings.ReplaceAll(test.query, " ", "+")
			if !strings.Contains(test.query, "%") {
				values, _ := url.ParseQuery(request.URL.RawQuery)
				request.URL.RawQuery = values.Encode()
			}
			response, body := do(t, server, request)
			if got, want := response.StatusCode, test.status; got != want {
				t.Errorf("status: got %d, want %d", got, want)
			}
			if got, want := response.Header.Get("Allow"), test.allow; got != want {
				t.Errorf("Allow: got %q, want %q", got, want)
			}
			if got, want := body, test.want; got != want {
				t.Errorf("body: got %s, want %s", got, want)
			}
		})
	}
}

func TestHTTP(t *testing.T) {
	t.Parallel()
	t.Run("is refused when the body breaks off", func(t *testing.T) {
		t.Parallel()
		request := httptest.NewRequest(http.MethodPost, "/", io.MultiReader(strings.NewReader(`{"query"`), brokenReader{}))
		request.Header.Set("Content-Type", mediaJSON)
		recorder := httptest.NewRecorder()
		newHandler(newTestSchema()).ServeHTTP(recorder, request)
		if got, want := recorder.Body.String(), invalid("The body could not be read"); got != want {
			t.Errorf("body: got %s, want %s", got, want)
		}
	})
	t.Run("turns a panic before the operation into an error", func(t *testing.T) {
		t.Parallel()
		recorder := httptest.NewRecorder()
		HTTP{}.Do(recorder, httptest.NewRequest(http.MethodGet, "/?query={hello}", nil), panickingExecutor{})
		if got, want := recorder.Code, 500; got != want {
			t.Errorf("status: got %d, want %d", got, want)
		}
		if got, want := recorder.Body.String(), internalText; got != want {
			t.Errorf("body: got %s, want %s", got, want)
		}
	})
}

func TestPresenter_logs_why_there_was_no_response(t *testing.T) {
	t.Parallel()
	ended, cancel := context.WithCancelCause(context.Background())
	cancel(model.Forbidden("Too slow"))
	for _, test := range []struct {
		name string
		ctx  context.Context
		text string
		code model.Code
	}{
		{"a bug", context.Background(), "the operation ended without a response", model.CodeInternal},
		{"a context that ended", ended, "wait for the response: Too slow", model.CodeForbidden},
	} {
		err := noResponse(test.ctx)
		if got, want := err.Error(), test.text; got != want {
			t.Errorf("%s: got %q, want %q", test.name, got, want)
		}
		if got, want := model.CodeOf(err), test.code; got != want {
			t.Errorf("%s: got code %q, want %q", test.name, got, want)
		}
	}
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// panickingExecutor fails in the parser, before there is an operation.
type panickingExecutor struct{ graphql.GraphExecutor }

func TestStatusOfCode_covers_every_code(t *testing.T) {
	t.Parallel()
	want := map[model.Code]int{
		model.CodeInvalid: 400, model.CodeInvalidFiles: 422, model.CodeUnauthenticated: 401, model.CodeForbidden: 403, model.CodeNotFound: 400,
		model.CodeTooLarge: 413, model.CodeRateLimited: 429, model.CodeQuotaExceeded: 507, model.CodeInternal: 500,
		model.CodeConflict: 400, model.CodeLocked: 400, "GRAPHQL_PARSE_FAILED": 400,
	}
	for _, code := range append(model.Codes(), "GRAPHQL_PARSE_FAILED") {
		if got, want := statusOfCode(code), want[code]; got != want {
			t.Errorf("%s: got %d, want %d", code, got, want)
		}
	}
}

func newRequest(t *testing.T, method, address, body string) *http.Request {
	t.Helper()
	request, err := http.NewRequestWithContext(context.Background(), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return request
}

func do(t *testing.T, server *httptest.Server, request *http.Request) (*http.Response, string) {
	t.Helper()
	response, err := server.Client().Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(body)
}
