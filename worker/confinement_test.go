package worker

import (
	"bytes"
	"log/slog"
	"maps"
	"strings"
	"testing"

	"portico/worker/child/childtest"
)

// The log names every measure that does not work.
func TestStart_logs_the_measures_that_do_not_work(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var log bytes.Buffer
	worker := w.start(t, withScript("good"), func(o *Options) { o.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
	stop(t, worker)
	const want = `by=limits no_network="a script" no_user="a script" no_files="a script" no_calls="a script"`
	if got := strings.Count(log.String(), want); got != 1 {
		t.Errorf("log: got %s, want one line with %s", &log, want)
	}
	measures := map[string]bool{"network": false, "user": false, "files": false, "calls": false}
	if got := worker.Confinement(); !maps.Equal(got, measures) {
		t.Errorf("confinement: got %v, want %v", got, measures)
	}
}

func TestStart_refuses_a_program_that_cannot_be_confined(t *testing.T) {
	t.Parallel()
	o := newWorld(t).options()
	o.Program = childtest.Program("cannot be confined")
	worker, err := Start(t.Context(), o)
	if err == nil {
		stop(t, worker)
	}
	if err == nil || !strings.Contains(err.Error(), "find out how conversions can be confined") {
		t.Errorf("start: got %v, want it to say what failed", err)
	}
}
