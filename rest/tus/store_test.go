package tus

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	tusd "github.com/tus/tusd/v2/pkg/handler"

	"portico/model"
)

// Clients of tus continue after a 503.
func TestTusError_of_an_outage(t *testing.T) {
	t.Parallel()
	u := upload{
		&door{Options: Options{Logger: slog.New(slog.DiscardHandler)}},
		&request{http: httptest.NewRequest(http.MethodPatch, "/uploads/a", http.NoBody)},
	}
	got, ok := errors.AsType[tusd.Error](u.tusError(fmt.Errorf("store: %w", model.Unavailable(errors.New("secret")))))
	if r := got.HTTPResponse; !ok || r.StatusCode != 503 || got.Message != model.UnavailableMessage || r.Header["Retry-After"] != "5" {
		t.Errorf("got %+v, want 503 %q with Retry-After 5", got, model.UnavailableMessage)
	}
}

// Clients give up an upload after a 401, so the response is 401 only if the key or the session has
// ended.
func TestTusError_of_a_canceled_request(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name    string
		cause   error
		status  int
		message string
	}{
		{"the key was revoked", model.Unauthenticated(), http.StatusUnauthorized, model.Unauthenticated().Message},
		{"the client has left", context.Canceled, http.StatusInternalServerError, model.InternalMessage},
	} {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(row.cause)
		u := upload{
			&door{Options: Options{Logger: slog.New(slog.DiscardHandler)}},
			&request{http: httptest.NewRequestWithContext(ctx, http.MethodPatch, "/uploads/a", http.NoBody)},
		}
		got, ok := errors.AsType[tusd.Error](u.tusError(fmt.Errorf("store the bytes: %w", context.Canceled)))
		if !ok || got.HTTPResponse.StatusCode != row.status || got.Message != row.message {
			t.Errorf("%s: got %d %q, want %d %q", row.name, got.HTTPResponse.StatusCode, got.Message, row.status, row.message)
		}
	}
}
