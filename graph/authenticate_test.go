package graph

import (
	"context"
	"errors"
	"log/slog"
	"net/http/httptest"
	"testing"

	"portico/model"
)

// The operation may have changed something, so its response must reach the client.
func TestRefuseRevoked_keeps_the_response_if_the_key_cannot_be_checked(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		key     error
		refused bool
	}{
		{"a valid key", nil, false},
		{"a database that is away", errors.New("the database is away"), false},
		{"a revoked key", model.Unauthenticated(), true},
	} {
		logger := slog.New(slog.DiscardHandler)
		d := &door{present: presenter(logger)}
		caller := model.NewUnconfirmedCaller("1", "2", func(context.Context) error { return c.key })
		response := httptest.NewRecorder()
		request := httptest.NewRequest("POST", "/graphql", nil).WithContext(model.WithCaller(t.Context(), caller))
		equal(t, c.name, d.refuseRevoked(response, request), c.refused)
		equal(t, c.name+": written", response.Body.Len() > 0, c.refused)
	}
}
