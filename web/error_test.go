package web

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"portico/auth/account"
	"portico/model"
)

func TestFail_has_a_page_for_every_code(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	want := map[model.Code]int{
		model.CodeInvalid: 400, model.CodeInvalidFiles: 422, model.CodeUnauthenticated: 401, model.CodeForbidden: 403, model.CodeNotFound: 404,
		model.CodeTooLarge: 413, model.CodeRateLimited: 429, model.CodeConflict: 409, model.CodeLocked: 423, model.CodeQuotaExceeded: 507, model.CodeInternal: 500,
	}
	for _, code := range model.Codes() {
		recorder := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		wait := 1500 * time.Millisecond
		if code == model.CodeInternal {
			wait = 0 // otherwise it is an outage
		}
		w.site.fail(recorder, r, &model.Error{Code: code, Message: "A <message>", RetryAfter: wait, Err: errors.New("cause")})
		if got := recorder.Code; got != want[code] {
			t.Errorf("%s: got %d, want %d", code, got, want[code])
		}
		message := "A &lt;message&gt;."
		if code == model.CodeInternal {
			message = model.InternalMessage + "."
		}
		if body := recorder.Body.String(); !strings.Contains(body, message) || strings.Contains(body, "cause") {
			t.Errorf("%s: got %s, want %q and no cause", code, body, message)
		}
		if got := recorder.Header().Get("Retry-After"); (got == "2") != (code == model.CodeRateLimited) {
			t.Errorf("%s: Retry-After: got %q", code, got)
		}
	}
}

func TestFail_offers_another_account_only_if_this_one_is_disabled(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for _, test := range []struct {
		name string
		err  error
		want string
	}{
		{"disabled", fmt.Errorf("sign in: %w", account.ErrDisabled), `href="/login"`},
		{"another refusal with the same text", model.Forbidden(model.AsError(account.ErrDisabled).Message), `href="/console"`},
	} {
		recorder := httptest.NewRecorder()
		w.site.fail(recorder, httptest.NewRequest(http.MethodGet, "/", nil), test.err)
		if body := recorder.Body.String(); recorder.Code != http.StatusForbidden || !strings.Contains(body, "<p><a "+test.want) {
			t.Errorf("%s: got %d %s, want a link with %s", test.name, recorder.Code, body, test.want)
		}
	}
}

func TestRefuseInText_shows_what_a_client_may_see(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name       string
		err        error
		status     int
		text       string
		retryAfter string
	}{
		{"not found", model.NotFound("Export not found"), 404, "Export not found\n", ""},
		{"rate limited", &model.Error{Code: model.CodeRateLimited, Message: "Later", RetryAfter: 1500 * time.Millisecond}, 429, "Later\n", "2"},
		{"internal", errors.New("secret"), 500, "Internal server error\n", ""},
		{"an outage", model.Unavailable(errors.New("secret")), 503, model.UnavailableMessage + "\n", "5"},
	} {
		recorder := httptest.NewRecorder()
		recorder.Header().Set("Cache-Control", "public")
		RefuseInText(recorder, test.err)
		if got := recorder.Body.String(); recorder.Code != test.status || got != test.text {
			t.Errorf("%s: got %d %q, want %d %q", test.name, recorder.Code, got, test.status, test.text)
		}
		for name, want := range map[string]string{
			"Retry-After": test.retryAfter, "Cache-Control": "no-store", "Content-Type": "text/plain; charset=utf-8",
		} {
			if got := recorder.Header().Get(name); got != want {
				t.Errorf("%s: %s: got %q, want %q", test.name, name, got, want)
			}
		}
	}
}
