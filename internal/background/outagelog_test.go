package background

import (
	"bytes"
	"errors"
	"log/slog"
	"testing"
)

func TestOutageLog_logs_the_first_failure_and_the_recovery(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
	var outage OutageLog
	first, second, third := errors.New("first"), errors.New("second"), errors.New("third")
	for _, err := range []error{nil, first, second, nil, nil, third} {
		outage.Record(logger, err, "store", "stored again")
	}
	want := `level=WARN msg=store error=first
level=INFO msg="stored again"
level=WARN msg=store error=third
`
	if got := log.String(); got != want {
		t.Errorf("log: got\n%swant\n%s", got, want)
	}
}
