package model

import (
	"testing"
	"time"
)

func TestHTTPStatus_of_every_code(t *testing.T) {
	t.Parallel()
	want := map[Code]int{
		CodeInvalid: 400, CodeInvalidFiles: 422, CodeUnauthenticated: 401, CodeForbidden: 403, CodeNotFound: 404,
		CodeTooLarge: 413, CodeRateLimited: 429, CodeConflict: 409, CodeLocked: 423, CodeQuotaExceeded: 507, CodeInternal: 500,
	}
	for _, code := range Codes() {
		if got := code.HTTPStatus(); got != want[code] {
			t.Errorf("%s: got %d, want %d", code, got, want[code])
		}
	}
	if got := Code("unknown").HTTPStatus(); got != 500 {
		t.Errorf("an unknown code: got %d, want 500", got)
	}
}

func TestRetrySeconds_are_whole_and_never_too_few(t *testing.T) {
	t.Parallel()
	for wait, want := range map[time.Duration]int{
		0: 1, -time.Second: 1, time.Millisecond: 1, time.Second: 1, 1001 * time.Millisecond: 2, time.Minute: 60,
	} {
		if got := RetrySeconds(wait); got != want {
			t.Errorf("RetrySeconds(%v): got %d, want %d", wait, got, want)
		}
	}
}
