package settings

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

// NewLogger returns a logger for this level and above, in the format of LogFormat: JSON
// unless it is FormatText.
func (c *Config) NewLogger(w io.Writer, level slog.Level) *slog.Logger {
	options := &slog.HandlerOptions{Level: level, ReplaceAttr: durationInSeconds}
	if c.LogFormat == FormatText {
		return slog.New(slog.NewTextHandler(w, options))
	}
	return slog.New(slog.NewJSONHandler(w, options))
}

// durationInSeconds replaces a duration by a number of seconds, which programs and people can
// read, and appends the unit to the name.
func durationInSeconds(_ []string, a slog.Attr) slog.Attr {
	if a.Value.Kind() == slog.KindDuration {
		return slog.Float64(a.Key+"_s", a.Value.Duration().Round(time.Microsecond).Seconds())
	}
	return a
}

// RedirectLibraries sends the messages of libraries to the logger. It sets global variables of
// the libraries, so only the main function of a program may call it.
func RedirectLibraries(logger *slog.Logger) {
	pgdriver.Logger = driverLog{logger}
	otel.SetLogger(logr.FromSlogHandler(logger.Handler()))
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { logger.Warn("traces", "error", err) }))
}

// driverLog logs the messages of pgdriver about broken connections at debug level: the call
// that used the connection returns the same error.
type driverLog struct{ log *slog.Logger }

// Printf implements the interface of pgdriver.Logger.
func (l driverLog) Printf(ctx context.Context, format string, args ...any) {
	l.log.DebugContext(ctx, "database driver", "message", fmt.Sprintf(format, args...))
}
