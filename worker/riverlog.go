package worker

import (
	"context"
	"log/slog"
	"strings"
)

// quiet drops what River logs below a warning, since our own log has a line for
// each job, and what it says of work that was ended because the process stops.
type quiet struct{ slog.Handler }

// Enabled implements slog.Handler.
func (q quiet) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && q.Handler.Enabled(ctx, level)
}

// Handle implements slog.Handler.
func (q quiet) Handle(ctx context.Context, record slog.Record) error {
	stopping := false
	record.Attrs(func(a slog.Attr) bool {
		// River hands errors over as text.
		stopping = strings.Contains(a.Value.String(), context.Canceled.Error())
		return !stopping
	})
	if stopping || strings.Contains(record.Message, context.Canceled.Error()) {
		return nil
	}
	return q.Handler.Handle(ctx, record)
}

// WithAttrs implements slog.Handler.
func (q quiet) WithAttrs(attrs []slog.Attr) slog.Handler { return quiet{q.Handler.WithAttrs(attrs)} }

// WithGroup implements slog.Handler.
func (q quiet) WithGroup(name string) slog.Handler { return quiet{q.Handler.WithGroup(name)} }
