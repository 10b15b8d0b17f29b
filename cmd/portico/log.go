package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"
)

// logger returns the log that the configuration asks for.
func (c *Config) logger(w io.Writer, level slog.Level) *slog.Logger {
	options := &slog.HandlerOptions{Level: level, ReplaceAttr: seconds}
	format := c.LogFormat
	if format == "" && isTerminal(w) {
		format = formatText
	}
	if format == formatText {
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

// isTerminal tells whether people read what is written.
func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// driverLog takes what pgdriver prints. It is for debugging: the call that the
// broken connection belonged to has returned the error.
type driverLog struct{ log *slog.Logger }

// Printf implements what pgdriver.Logger asks for.
func (l driverLog) Printf(ctx context.Context, format string, args ...any) {
	l.log.DebugContext(ctx, "database driver", "message", fmt.Sprintf(format, args...))
}
