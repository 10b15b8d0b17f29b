package worker

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
)

func TestRiverHandler(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name       string
		log        func(*slog.Logger)
		isStopping bool
		want       string // a part of the line; "" means no line
	}{
		{"drops a message below a warning", func(l *slog.Logger) { l.Info("job done") }, false, ""},
		{"keeps a warning", func(l *slog.Logger) { l.Warn("slow") }, false, "slow"},
		{"keeps an error", func(l *slog.Logger) { l.Error("lost", "error", "broken pipe") }, false, "broken pipe"},
		{"drops an error of the stop", func(l *slog.Logger) { l.Error("begin", "error", "x: context canceled") }, true, ""},
		{"drops a message of the stop", func(l *slog.Logger) { l.Error("begin: context canceled") }, true, ""},
		{"keeps another error of the stop", func(l *slog.Logger) { l.Error("end", "error", "broken pipe") }, true, "broken pipe"},
		{"keeps a canceled error of a worker that runs", func(l *slog.Logger) { l.Error("begin", "error", "x: context canceled") }, false, "x: context canceled"},
		{"keeps a canceled message of a worker that runs", func(l *slog.Logger) { l.Error("begin: context canceled") }, false, "begin: context canceled"},
		{"stays quiet with attributes", func(l *slog.Logger) { l.With("a", 1).WithGroup("g").Info("done") }, false, ""},
		{"keeps warnings with attributes", func(l *slog.Logger) { l.With("a", 1).WithGroup("g").Warn("slow") }, false, "slow"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			test.log(slog.New(riverHandler{slog.NewTextHandler(&out, nil), func() bool { return test.isStopping }}))
			if got := out.String(); (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
				t.Errorf("log: got %q, want %q in it", got, test.want)
			}
		})
	}
}
