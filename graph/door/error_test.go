package door

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/vektah/gqlparser/v2/gqlerror"

	"portico/internal/testkit/logs"
	"portico/model"
)

// TestPresenter has a row for each code of model.Codes, and fails for a code without a row.
func TestPresenter(t *testing.T) {
	t.Parallel()
	shown := map[model.Code]struct {
		message string
		retry   any
		logged  bool
	}{
		model.CodeInvalid:         {message: "A message"},
		model.CodeInvalidFiles:    {message: "A message"},
		model.CodeUnauthenticated: {message: "A message"},
		model.CodeForbidden:       {message: "A message"},
		model.CodeNotFound:        {message: "A message"},
		model.CodeTooLarge:        {message: "A message"},
		model.CodeRateLimited:     {message: "A message", retry: 2},
		model.CodeConflict:        {message: "A message"},
		model.CodeLocked:          {message: "A message"},
		model.CodeQuotaExceeded:   {message: "A message"},
		model.CodeInternal:        {message: "Internal server error", logged: true},
	}
	for _, code := range model.Codes() {
		t.Run(string(code), func(t *testing.T) {
			t.Parallel()
			want, ok := shown[code]
			if !ok {
				t.Fatalf("code %q has no row in the table", code)
			}
			cause := &model.Error{Code: code, Message: "A message", Err: errors.New("the secret cause")}
			if want.retry != nil {
				cause.RetryAfter = 1001 * time.Millisecond
			}
			log := &logs.Buffer{}
			present := presenter(slog.New(slog.NewTextHandler(log, nil)))
			ctx := model.WithRequestID(t.Context(), "request-1")
			got := present(ctx, fmt.Errorf("do something: %w", cause))
			equal(t, "message", got.Message, want.message)
			equal(t, "code", got.Extensions["code"], any(strings.ToUpper(string(code))))
			equal(t, "retry", got.Extensions["retryAfterSeconds"], want.retry)
			equal(t, "logged", strings.Count(log.String(), "the secret cause") == 1, want.logged)
			if want.logged && !strings.Contains(log.String(), "request_id=request-1") {
				t.Errorf("log: got %s, want the request id", log)
			}
		})
	}
}

func TestPresenter_of_other_errors(t *testing.T) {
	t.Parallel()
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, test := range []struct {
		name          string
		ctx           context.Context
		err           error
		message, code string
		logged        bool
	}{
		{"any error", t.Context(), errors.New("secret"), "Internal server error", "INTERNAL", true},
		{"one whose client has left", canceled, errors.New("secret"), "Internal server error", "INTERNAL", false},
		{"one of the document", t.Context(), gqlerror.Errorf("Syntax"), "Syntax", "INVALID", false},
		{
			"one of the document with a code", t.Context(),
			&gqlerror.Error{Message: "Syntax", Extensions: map[string]any{"code": "GRAPHQL_PARSE_FAILED"}},
			"Syntax", "GRAPHQL_PARSE_FAILED", false,
		},
		{
			"one of the document with another extension", t.Context(),
			&gqlerror.Error{Message: "Syntax", Extensions: map[string]any{"hint": "x"}}, "Syntax", "INVALID", false,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			log := &logs.Buffer{}
			got := presenter(slog.New(slog.NewTextHandler(log, nil)))(test.ctx, test.err)
			equal(t, "message", got.Message, test.message)
			equal(t, "code", got.Extensions["code"], any(test.code))
			equal(t, "logged", log.String() != "", test.logged)
		})
	}
}

// equal compares a value with what it must be.
func equal[T comparable](t testing.TB, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}
