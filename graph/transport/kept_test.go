package transport

import (
	"context"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// watchedExecutor reports when the extensions and variables of a request are collected.
type watchedExecutor struct {
	graphql.GraphExecutor
	collected chan string
}

func (e watchedExecutor) CreateOperationContext(ctx context.Context, params *graphql.RawParams) (*graphql.OperationContext, gqlerror.List) {
	sent := func(name string) map[string]any {
		watched := new([64]byte)
		runtime.AddCleanup(watched, func(name string) { e.collected <- name }, name)
		return map[string]any{"watched": watched}
	}
	params.Variables, params.Extensions = sent("variables"), sent("extensions")
	return e.GraphExecutor.CreateOperationContext(ctx, params)
}

// A stream that is open for hours must not keep the body that started it.
func TestSSE_keeps_nothing_of_a_request(t *testing.T) {
	t.Parallel()
	exec := executor.New(newTestSchema())
	watched := watchedExecutor{exec, make(chan string, 2)}
	server := newHTTPServer(t, func(w http.ResponseWriter, r *http.Request) {
		r = r.WithContext(graphql.StartOperationTrace(r.Context()))
		SSE{}.Do(w, r, watched)
	})
	openStream(t, server, "subscription{wait}").expect(t, ":\n\n"+next(`{"data":{"wait":1}}`))
	for range 2 {
		for deadline := time.Now().Add(5 * time.Second); ; runtime.GC() {
			if len(watched.collected) > 0 {
				<-watched.collected
				break
			}
			if time.Now().After(deadline) {
				t.Fatal("the variables or the extensions of an open stream are still in memory")
			}
		}
	}
}

// What a subscription has to keep is limited.
func TestPrepare_limits_the_variables_of_subscriptions(t *testing.T) {
	t.Parallel()
	exec := executor.New(newTestSchema())
	exec.SetErrorPresenter(present)
	for _, test := range []struct {
		name, query string
		size        int
		refused     bool
	}{
		{"a small text", "subscription($v: JSON) { keep(value: $v) }", maxKeptVariables / 2, false},
		{"a large text", "subscription($v: JSON) { keep(value: $v) }", maxKeptVariables, true},
		{"a large text that is not declared", "subscription { wait }", maxKeptVariables, false},
		{"a large text of a query", "query($v: JSON) { echo(value: $v) }", maxKeptVariables, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			params := &graphql.RawParams{Query: test.query, Variables: map[string]any{"v": []any{strings.Repeat("x", test.size)}}}
			ctx := graphql.StartOperationTrace(t.Context())
			_, response := prepare(ctx, exec, params)
			if refused := response != nil; refused != test.refused {
				t.Errorf("refused: got %v, want %v", response, test.refused)
			}
		})
	}
}
