package transport

import (
	"context"
	"errors"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"portico/model"
)

// fakeExecutor refuses every document, as the executors of these tests need it.
type fakeExecutor struct {
	graphql.GraphExecutor
	refused   *graphql.Response
	recovered error
}

func (fakeExecutor) CreateOperationContext(context.Context, *graphql.RawParams) (*graphql.OperationContext, gqlerror.List) {
	return &graphql.OperationContext{}, gqlerror.List{{Message: "From the parser"}}
}

func (f fakeExecutor) DispatchError(context.Context, gqlerror.List) *graphql.Response {
	return f.refused
}

func (f fakeExecutor) PresentRecoveredError(context.Context, any) error { return f.recovered }

// A document with an error is refused, whatever extensions make of it.
func TestPrepare_refuses_a_document_with_an_error(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		refused *graphql.Response
		want    string
	}{
		{"presented", &graphql.Response{Errors: gqlerror.List{{Message: "Presented"}}}, "Presented"},
		{"swallowed", nil, "From the parser"},
		{"emptied", &graphql.Response{}, "From the parser"},
	} {
		op, refused := prepare(context.Background(), fakeExecutor{refused: test.refused}, &graphql.RawParams{})
		if op != nil || refused == nil || len(refused.Errors) != 1 {
			t.Errorf("%s: got operation %v and %v, want one error", test.name, op, refused)
			continue
		}
		if got := refused.Errors[0].Message; got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

// Every panic becomes an error with a code, and its text is not shown.
func TestRecovered_hides_the_panic(t *testing.T) {
	t.Parallel()
	var none *gqlerror.Error
	coded := &gqlerror.Error{Message: "Ours", Extensions: map[string]any{"code": "own"}}
	for _, test := range []struct {
		name          string
		exec          graphql.GraphExecutor
		message, code string
	}{
		{"an executor that cannot say", panickingExecutor{}, model.InternalMessage, "INTERNAL"},
		{"an error with a code", fakeExecutor{recovered: coded}, "Ours", "own"},
		{"an error without a code", fakeExecutor{recovered: &gqlerror.Error{Message: "Ours"}}, "Ours", "INTERNAL"},
		{"an error of another type", fakeExecutor{recovered: errors.New("secret")}, model.InternalMessage, "INTERNAL"},
		{"an error that is nil", fakeExecutor{recovered: none}, model.InternalMessage, "INTERNAL"},
		{"no error", fakeExecutor{}, model.InternalMessage, "INTERNAL"},
	} {
		got := panicResponse(context.Background(), test.exec, "secret").Errors[0]
		if got.Message != test.message || got.Extensions["code"] != test.code {
			t.Errorf("%s: got %q with code %v, want %q with %q", test.name, got.Message, got.Extensions["code"], test.message, test.code)
		}
	}
}
