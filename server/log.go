package server

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/go-logr/logr"
	"github.com/uptrace/bun/driver/pgdriver"
	"go.opentelemetry.io/otel"
)

// NewLogger returns a log of this level and above, in the form of LogFormat: JSON
// unless that is text.
func (c *Config) NewLogger(w io.Writer, level slog.Level) *slog.Logger {
	options := &slog.HandlerOptions{Level: level, ReplaceAttr: seconds}
	if c.LogFormat == FormatText {
		return slog.New(slog.NewTextHandler(w, options))
	}
	return slog.New(slog.NewJSONHandler(w, options))
}

// seconds writes durations for machines and people alike.
func seconds(_ []string, a slog.Attr) slog.Attr {
	if a.Value.Kind() == slog.KindDuration {
		return slog.Float64(a.Key+"_s", a.Value.Duration().Round(time.Microsecond).Seconds())
	}
	return a
}

// RedirectLibraries sends what libraries would print to the log. It sets variables of
// theirs, so only the main function of a program may call it.
func RedirectLibraries(logger *slog.Logger) {
	pgdriver.Logger = driverLog{logger}
	otel.SetLogger(logr.FromSlogHandler(logger.Handler()))
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { logger.Warn("traces", "error", err) }))
}

// driverLog takes what pgdriver prints about broken connections. It is for debugging:
// the call that used the connection has returned the error.
type driverLog struct{ log *slog.Logger }

// Printf implements the interface of pgdriver.Logger.
func (l driverLog) Printf(ctx context.Context, format string, args ...any) {
	l.log.DebugContext(ctx, "database driver", "message", fmt.Sprintf(format, args...))
}
