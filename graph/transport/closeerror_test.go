package transport

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/coder/websocket"

	"portico/model"
)

// The test has a row per code that Init and Acquire may return.
func TestClosingFor_has_a_close_code_for_each_code(t *testing.T) {
	t.Parallel()
	want := map[model.Code]closeError{
		model.CodeInvalid:         {4400, "Secret"},
		model.CodeInvalidFiles:    {4400, "Secret"},
		model.CodeUnauthenticated: {4401, "Unauthorized"},
		model.CodeForbidden:       {4403, "Forbidden"},
		model.CodeNotFound:        {4400, "Secret"},
		model.CodeTooLarge:        {4400, "Secret"},
		model.CodeConflict:        {4400, "Secret"},
		model.CodeLocked:          {4400, "Secret"},
		model.CodeRateLimited:     {websocket.StatusTryAgainLater, "Secret"},
		model.CodeQuotaExceeded:   {websocket.StatusTryAgainLater, "Secret"},
		model.CodeInternal:        {4500, "Internal server error"},
		"unknown":                 {4500, "Internal server error"},
	}
	for _, code := range append(model.Codes(), "unknown") {
		err := fmt.Errorf("wrapped: %w", &model.Error{Code: code, Message: "Secret", Err: errors.New("cause")})
		got, ok := errors.AsType[*closeError](initCloseError(err))
		if !ok || *got != want[code] {
			t.Errorf("%s: got %v, want %v", code, got, want[code])
		}
	}
}

// The test has a row per cause that the context of a socket can have.
func TestEndingFor_has_a_status_for_each_cause(t *testing.T) {
	t.Parallel()
	revoked := &model.Error{Code: model.CodeUnauthenticated, Message: "Key revoked"}
	for _, test := range []struct {
		name  string
		cause error
		want  websocket.StatusCode
	}{
		{"the client broke the protocol", invalidMessage("What"), closeBadRequest},
		{"the key was revoked", fmt.Errorf("watch the key: %w", revoked), closeUnauthorized},
		{"the server stops", context.Canceled, websocket.StatusGoingAway},
		{"the time is over", context.DeadlineExceeded, websocket.StatusGoingAway},
		{"the owner had enough", model.Forbidden("No"), websocket.StatusGoingAway},
	} {
		got, ok := errors.AsType[*closeError](closeErrorOf(test.cause))
		if !ok || got.code != test.want {
			t.Errorf("%s: got %v, want %d", test.name, got, test.want)
		}
	}
	if got := closeErrorOf(fmt.Errorf("read: %w", errPeerGone)); !errors.Is(got, errPeerGone) {
		t.Errorf("the peer has gone: got %v, want %v", got, errPeerGone)
	}
}

// A close frame has room for a reason of 123 bytes (RFC 6455 section 5.5).
func TestClosingReason_fits_in_a_close_frame(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, reason string
		length       int
	}{
		{"short", "Unauthorized", 12},
		{"just right", strings.Repeat("x", 123), 123},
		{"too long", strings.Repeat("x", 124), 123},
		{"two bytes a letter", strings.Repeat("é", 100), 122},
		{"four bytes a letter", strings.Repeat("🏃", 100), 120},
	} {
		got := newCloseError(closeBadRequest, test.reason).Error()
		if len(got) != test.length || !utf8.ValidString(got) || !strings.HasPrefix(test.reason, got) {
			t.Errorf("%s: got %q of %d bytes, want %d", test.name, got, len(got), test.length)
		}
	}
}
