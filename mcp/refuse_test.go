package mcp

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"portico/model"
)

func TestRefuse_answers_with_the_status_of_the_code(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, test := range []struct {
		err    error
		status int
		body   string
	}{
		{model.Invalidf("Wrong"), 400, "Wrong"},
		{model.ChangeFaults{{File: "x", Message: "Wrong"}}.Refusal(), 422, "validationErrors"},
		{model.Unauthenticated(), 401, model.KeyInvalid},
		{model.Forbidden("Not yours"), 403, "Not yours"},
		{model.NotFound("Not found"), 404, "Not found"},
		{model.Conflict(model.ReasonStale, "Changed", nil), 409, "Changed"},
		{&model.Error{Code: model.CodeTooLarge, Message: "Large"}, 413, "Large"},
		{&model.Error{Code: model.CodeLocked, Message: "Locked"}, 423, "Locked"},
		{&model.Error{Code: model.CodeRateLimited, Message: "Often"}, 429, `"retry_after_seconds":1`},
		{errors.New("a fault"), 500, "Internal server error"},
		{model.Unavailable(errors.New("the database is away")), 503, model.UnavailableMessage},
		{&model.Error{Code: model.CodeQuotaExceeded, Message: "Full"}, 507, "Full"},
	} {
		recorder := httptest.NewRecorder()
		w.door.refuse(recorder, httptest.NewRequest(http.MethodPost, "/v1/mcp", nil), test.err)
		equal(t, "status", recorder.Code, test.status)
		if got := recorder.Body.String(); !strings.Contains(got, test.body) {
			t.Errorf("body: got %s, want %s in it", got, test.body)
		}
	}
}
