package door

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"portico/model"
	"portico/storage"
)

// conflict is a refusal of a store.
var conflict = &model.Error{Code: model.CodeConflict, Message: "Another file was already uploaded to this address"}

func TestRefusalOf(t *testing.T) {
	t.Parallel()
	busy := &model.Error{Code: model.CodeRateLimited, Message: "Too many uploads", RetryAfter: time.Second}
	tests := []struct {
		name   string
		err    error
		status int
	}{
		{"a refusal", conflict, 409},
		{"a wrapped refusal", fmt.Errorf("put: %w", conflict), 409},
		{"a refusal with the error of its clean-up", errors.Join(conflict, storage.ErrNotFound), 409},
		{"a wrong method", errMethod, 405},
		{"a wrapped refusal with a status of transfers", fmt.Errorf("put: %w", errSlowBody), 408},
		{"too many uploads", busy, 429},
		{"not found", fmt.Errorf("open: %w", storage.ErrNotFound), 404},
		{"invalid key", storage.CheckKey(".."), 404},
		{"disk full", storage.WrapFull(&os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}), 507},
		{"disk quota", storage.WrapFull(&os.LinkError{Op: "link", Old: "x", New: "y", Err: syscall.EDQUOT}), 507},
		{"disk of the source full", storage.WrapFull(&storage.SourceError{Err: syscall.ENOSPC}), 400},
		{"client gone", &storage.SourceError{Err: context.Canceled}, 400},
		{"client silent", &storage.SourceError{Err: fmt.Errorf("read tcp: %w", os.ErrDeadlineExceeded)}, 408},
		{"disk broken", storage.WrapFull(&os.PathError{Op: "write", Path: "/secret/place", Err: syscall.EIO}), 500},
		{"anything", errors.New("/secret/place"), 500},
		{"database away", fmt.Errorf("find: %w", model.Unavailable(errors.New("/secret/place"))), 503},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := refusalOf(tt.err)
			message := model.AsError(got).Message
			if statusOf(got) != tt.status || message == "" {
				t.Errorf("refusalOf = %d %q, want status %d and a message", statusOf(got), message, tt.status)
			}
			if strings.Contains(message, "/secret") {
				t.Errorf("message = %q, want no internals", message)
			}
		})
	}
}

func TestFail_logs(t *testing.T) {
	t.Parallel()
	broken, full := errors.New("disk broken"), storage.WrapFull(syscall.ENOSPC)
	tests := []struct {
		name string
		gone bool // the client
		err  error
		want string
	}{
		{"an internal error as a fault", false, broken, "level=ERROR msg=\"internal error\" door=storage method=GET path=/files/1/a.ply error=\"disk broken\""},
		{"no error of a client that has gone", true, broken, ""},
		{"a refusal for debugging", false, conflict, "level=DEBUG msg=\"file request refused\" method=GET path=/files/1/a.ply status=409"},
		{"a full disk as an error", false, full, "level=ERROR msg=\"file request refused\" method=GET path=/files/1/a.ply status=507"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ctx, leave := context.WithCancel(t.Context())
			defer leave()
			if tt.gone {
				leave()
			}
			lines := new(bytes.Buffer)
			log := slog.New(slog.NewTextHandler(lines, &slog.HandlerOptions{Level: slog.LevelDebug}))
			r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/files/1/a.ply", http.NoBody)
			fail(log, httptest.NewRecorder(), r, tt.err)
			if got := lines.String(); !strings.Contains(got, tt.want) || (tt.want == "") != (got == "") {
				t.Errorf("log = %q, want %q", got, tt.want)
			}
		})
	}
}
