package transport

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"portico/model"
)

// TestEncodeResponse has a row per member of a response (GraphQL, Response).
func TestEncodeResponse(t *testing.T) {
	t.Parallel()
	yes := true
	for _, test := range []struct {
		name     string
		response graphql.Response
		want     string
	}{
		{"nothing", graphql.Response{}, `{}`},
		{"data", graphql.Response{Data: json.RawMessage(`{"a":"<&>"}`)}, `{"data":{"a":"<&>"}}`},
		{"data as it is", graphql.Response{Data: json.RawMessage("{ \"a\":\n1.10 }")}, "{\"data\":{ \"a\":\n1.10 }}"},
		{"data of null", graphql.Response{Data: json.RawMessage(`null`)}, `{"data":null}`},
		{"errors first", graphql.Response{Data: json.RawMessage(`null`), Errors: gqlerror.List{{Message: "<a>"}}}, `{"errors":[{"message":"<a>"}],"data":null}`},
		{"errors without data", graphql.Response{Errors: gqlerror.List{{Message: "a", Path: ast.Path{ast.PathName("b"), ast.PathIndex(1)}}}}, `{"errors":[{"message":"a","path":["b",1]}]}`},
		{"extensions", graphql.Response{Extensions: map[string]any{"a": "<b>"}}, `{"extensions":{"a":"<b>"}}`},
		{"no extensions", graphql.Response{Extensions: map[string]any{}}, `{}`},
		{"a deferred part", graphql.Response{Data: json.RawMessage(`{}`), Label: "l", Path: ast.Path{ast.PathName("p")}, HasNext: &yes}, `{"data":{},"label":"l","path":["p"],"hasNext":true}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := encodeResponse(&test.response)
			if err != nil || string(got) != test.want {
				t.Errorf("got %s and %v, want %s", got, err, test.want)
			}
		})
	}
}

// The test encodes a value that JSON cannot express.
func TestPresenter_receives_the_error_of_the_encoder(t *testing.T) {
	t.Parallel()
	unfit := map[string]any{"a": make(chan int)}
	var seen error
	for _, test := range []struct {
		name    string
		present graphql.ErrorPresenterFunc
		want    string
	}{
		{"without a presenter", nil, internalBody},
		{"with a presenter that knows better", func(_ context.Context, err error) *gqlerror.Error {
			seen = err
			return &gqlerror.Error{Message: "Ours"}
		}, `{"errors":[{"message":"Ours"}]}`},
		{"with a presenter that says nothing", func(context.Context, error) *gqlerror.Error { return nil }, internalBody},
		{"with a presenter that panics", func(context.Context, error) *gqlerror.Error { panic("a bug") }, internalBody},
		{"with a presenter that does the same", func(context.Context, error) *gqlerror.Error {
			return &gqlerror.Error{Extensions: unfit}
		}, internalBody},
	} {
		got := string(presenter{render: test.present}.encode(context.Background(), &graphql.Response{Extensions: unfit}))
		if got != test.want {
			t.Errorf("%s: got %s, want %s", test.name, got, test.want)
		}
	}
	if _, ok := errors.AsType[*json.UnsupportedTypeError](seen); !ok {
		t.Errorf("the presenter got %v, want the error of the encoder", seen)
	}
}

func TestPresenter_logs_its_panic(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	p := presenter{
		render: func(context.Context, error) *gqlerror.Error { panic("a bug") },
		log:    slog.New(slog.NewTextHandler(&log, nil)),
	}
	ctx, disconnect := context.WithCancel(t.Context())
	disconnect()
	got := p.present(ctx, model.Invalidf("No"))
	if got.Message != "No" {
		t.Errorf("message: got %q, want the message of the error", got.Message)
	}
	for _, want := range []string{"a bug", "door=graphql", "response_test.go"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("log: got %q, want %q in it", log.String(), want)
		}
	}
}

func TestEncodeErrors(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		errs gqlerror.List
		want string
	}{
		{"errors", gqlerror.List{{Message: "a"}, {Message: "<b>"}}, `[{"message":"a"},{"message":"<b>"}]`},
		{"no errors, which no client takes", nil, internalErrors},
		{"what JSON cannot say", gqlerror.List{{Extensions: map[string]any{"a": make(chan int)}}}, internalErrors},
	} {
		if got := string(encodeErrors(test.errs)); got != test.want {
			t.Errorf("%s: got %s, want %s", test.name, got, test.want)
		}
	}
}

func TestRefusal_sets_Allow_and_Retry_After(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, header, want string
		refusal            refusal
	}{
		{"the methods of a 405", "Allow", "POST", refusal{allowed: []string{"POST"}, cause: model.Invalidf("No")}},
		{"whole seconds, rounded up", "Retry-After", "1", refusal{cause: &model.Error{Code: model.CodeRateLimited, RetryAfter: time.Millisecond}}},
		{"no wait without one", "Retry-After", "", refusal{cause: &model.Error{Code: model.CodeRateLimited}}},
	} {
		header := http.Header{}
		test.refusal.setHeaders(header)
		if got := header.Get(test.header); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
	refused := refuse(http.StatusTeapot, model.Invalidf("No tea"))
	if got, want := refused.Error(), "No tea"; got != want {
		t.Errorf("text: got %q, want %q", got, want)
	}
	if got, want := model.CodeOf(refused), model.CodeInvalid; got != want {
		t.Errorf("code: got %q, want %q", got, want)
	}
}

func TestEvent(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, body, want string }{
		{"no body", "", "event: next\ndata: \n\n"},
		{"a body as it is", `{"a": "<&>"}`, "event: next\ndata: {\"a\": \"<&>\"}\n\n"},
		{"a line break between tokens", "{\r\"a\":\r\n1.10\n}", "event: next\ndata: {\"a\":1.10}\n\n"},
		{"a line break in a string", `{"a":"\n"}`, "event: next\ndata: {\"a\":\"\\n\"}\n\n"},
	} {
		if got := string(event("next", []byte(test.body))); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}
