package worker

import (
	"context"
	"log/slog"
	"strings"
)

// riverHandler passes on River's warnings and errors. It drops everything below, since
// the worker logs each job itself, and the errors of jobs that were canceled because
// the process stops.
type riverHandler struct{ slog.Handler }

// Enabled implements slog.Handler.
func (h riverHandler) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && h.Handler.Enabled(ctx, level)
}

// Handle implements slog.Handler.
func (h riverHandler) Handle(ctx context.Context, record slog.Record) error {
	stopping := false
	record.Attrs(func(a slog.Attr) bool {
		// River logs errors as text, so errors.Is cannot be used.
		stopping = strings.Contains(a.Value.String(), context.Canceled.Error())
		return !stopping
	})
	if stopping || strings.Contains(record.Message, context.Canceled.Error()) {
		return nil
	}
	return h.Handler.Handle(ctx, record)
}

// WithAttrs implements slog.Handler.
func (h riverHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return riverHandler{h.Handler.WithAttrs(attrs)}
}

// WithGroup implements slog.Handler.
func (h riverHandler) WithGroup(name string) slog.Handler {
	return riverHandler{h.Handler.WithGroup(name)}
}
