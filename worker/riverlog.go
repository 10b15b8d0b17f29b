package worker

import (
	"context"
	"log/slog"
	"strings"
)

// riverHandler passes on River's warnings and errors. It drops everything below, since
// the worker logs each job itself, and the errors of statements and jobs that were canceled because
// the worker stops.
type riverHandler struct {
	slog.Handler
	isStopping func() bool
}

// Enabled implements slog.Handler.
func (h riverHandler) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && h.Handler.Enabled(ctx, level)
}

// Handle implements slog.Handler.
func (h riverHandler) Handle(ctx context.Context, record slog.Record) error {
	if h.isStopping() && isCanceled(record) {
		return nil
	}
	return h.Handler.Handle(ctx, record)
}

// isCanceled reports whether the record is about the end of a context. River logs errors as text,
// so errors.Is cannot be used.
func isCanceled(record slog.Record) bool {
	found := strings.Contains(record.Message, context.Canceled.Error())
	record.Attrs(func(a slog.Attr) bool {
		found = found || strings.Contains(a.Value.String(), context.Canceled.Error())
		return !found
	})
	return found
}

// WithAttrs implements slog.Handler.
func (h riverHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return riverHandler{h.Handler.WithAttrs(attrs), h.isStopping}
}

// WithGroup implements slog.Handler.
func (h riverHandler) WithGroup(name string) slog.Handler {
	return riverHandler{h.Handler.WithGroup(name), h.isStopping}
}
