package transport

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"portico/internal/testkit/leak"
	"portico/model"
)

func TestMain(m *testing.M) { leak.Main(m) }

const testTypes = `
	scalar JSON
	type Query { hello: String, echo(value: JSON): JSON, document: JSON, fails: String, panics: String, denied: String, deferred: String, ended: String }
	type Mutation { set(value: Int!): Int }
	type Subscription { keep(value: JSON): Int, count(to: Int!): Int, wait: Int, stubborn: Int, missing: Int, panics: Int, panicsLater: Int, breaks: Int, document: JSON, flood: String }`

// The client's own JSON, with what a transport might break: a line break, a
// number that no float holds, HTML.
const document = "{\r\n\"n\": 12345678901234567890, \"x\": 1.10, \"h\": \"<&>\"}"

// testSchema is an executable schema of one root field per operation.
type testSchema struct {
	schema *ast.Schema
	// stopped gets the cause with which the context of a wait or flood ended.
	stopped chan error
	// blocked gets a value when a stubborn subscription stops to respect its context.
	blocked chan struct{}
	// release ends the stubborn subscription, which ignores its context.
	release chan struct{}
}

func newTestSchema() *testSchema {
	schema := gqlparser.MustLoadSchema(&ast.Source{Input: testTypes})
	return &testSchema{schema: schema, stopped: make(chan error, 1000), blocked: make(chan struct{}, 1000), release: make(chan struct{})}
}

func (s *testSchema) Schema() *ast.Schema { return s.schema }

func (s *testSchema) Complexity(context.Context, string, string, int, map[string]any) (int, bool) {
	return 0, false
}

func (s *testSchema) Exec(ctx context.Context) graphql.ResponseHandler {
	operation := graphql.GetOperationContext(ctx)
	field := operation.Operation.SelectionSet[0].(*ast.Field)
	if operation.Operation.Operation == ast.Subscription {
		return s.subscribe(ctx, field, operation.Variables)
	}
	if field.Name == "deferred" {
		more := true
		return func(context.Context) *graphql.Response {
			defer func() { more = false }()
			hasNext := more
			return &graphql.Response{Data: json.RawMessage(`{}`), HasNext: &hasNext}
		}
	}
	// Like an extension that forgets graphql.OneShot, it would respond forever.
	return func(ctx context.Context) *graphql.Response { return s.respond(ctx, field, operation.Variables) }
}

func (s *testSchema) respond(ctx context.Context, field *ast.Field, variables map[string]any) *graphql.Response {
	switch field.Name {
	case "__typename":
		return data(field, `"Query"`)
	case "echo":
		value, _ := json.Marshal(field.ArgumentMap(variables)["value"])
		return data(field, string(value))
	case "document":
		return data(field, document)
	case "set":
		return data(field, fmt.Sprint(field.ArgumentMap(variables)["value"]))
	case "fails":
		graphql.AddError(ctx, model.NotFound("Space not found"))
		return data(field, "null")
	case "panics":
		panic("a bug")
	case "denied":
		return &graphql.Response{Errors: gqlerror.List{present(ctx, model.Forbidden("No <entry>"))}}
	case "ended":
		return nil
	default:
		return data(field, `"hello"`)
	}
}

func (s *testSchema) subscribe(ctx context.Context, field *ast.Field, _ map[string]any) graphql.ResponseHandler {
	n := 0
	event := func(value string) *graphql.Response { return data(field, value) }
	switch field.Name {
	case "missing":
		graphql.AddError(ctx, model.NotFound("Job not found"))
		return nil
	case "panics":
		panic("a bug")
	case "wait", "flood":
		context.AfterFunc(ctx, func() { s.stopped <- context.Cause(ctx) })
	}
	return func(ctx context.Context) *graphql.Response {
		n++
		switch {
		case field.Name == "count":
			to, _ := strconv.Atoi(field.Arguments.ForName("to").Value.Raw)
			if n > to {
				return nil
			}
		case field.Name == "flood":
			return event(`"` + strings.Repeat("x", 1<<18) + `"`)
		case n == 2 && field.Name == "panicsLater":
			panic("a bug")
		case n == 2 && field.Name == "breaks":
			return &graphql.Response{Errors: gqlerror.List{present(ctx, model.NotFound("Job not found"))}}
		case n == 2 && field.Name == "document":
			return nil
		case field.Name == "document":
			return event(document)
		case n == 2 && field.Name == "stubborn":
			s.blocked <- struct{}{}
			<-s.release
			return event("2")
		case n == 2:
			<-ctx.Done()
			return nil
		}
		return event(strconv.Itoa(n))
	}
}

func data(field *ast.Field, value string) *graphql.Response {
	return &graphql.Response{Data: json.RawMessage(`{"` + field.Alias + `":` + value + `}`)}
}

// present is an error presenter like the one of the door.
func present(_ context.Context, err error) *gqlerror.Error {
	e, ok := errors.AsType[*gqlerror.Error](err)
	if ok && e.Extensions["code"] != nil {
		return e
	}
	presented := defaultError(err)
	if ok {
		presented.Path = e.Path
	}
	return presented
}

// newServer serves the schema over the transports, and HTTP after them.
func newServer(t *testing.T, transports ...graphql.Transport) (*httptest.Server, *testSchema) {
	t.Helper()
	schema := newTestSchema()
	return newHTTPServer(t, newHandler(schema, transports...).ServeHTTP), schema
}

func newHTTPServer(t *testing.T, handle http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(handle)
	t.Cleanup(server.Close)
	return server
}

// newHandler picks a transport as gqlgen's handler.Server does.
func newHandler(schema *testSchema, transports ...graphql.Transport) http.Handler {
	exec := executor.New(schema)
	exec.SetErrorPresenter(present)
	exec.SetRecoverFunc(func(context.Context, any) error { return errors.New("recovered") })
	transports = append(transports, HTTP{MaxBody: 1000, Present: present})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r = r.WithContext(graphql.StartOperationTrace(r.Context()))
		for _, transport := range transports {
			if transport.Supports(r) {
				transport.Do(w, r, exec)
				return
			}
		}
	})
}
