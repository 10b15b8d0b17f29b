package server

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"

	"portico/internal/background"
	"portico/server/settings"
)

func TestEgress_offers_documents_with_a_way_out(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		setting settings.ClientDocuments
		fails   int // how many checks fail
		want    bool
		level   string // of the log line of the first check; "" for none
	}{
		{settings.DocumentsAuto, 0, true, ""},
		{settings.DocumentsAuto, 3, false, "INFO"},
		{settings.DocumentsOn, 0, true, ""},
		{settings.DocumentsOn, 3, true, "WARN"},
		{settings.DocumentsOff, 0, false, ""},
		{"", 3, true, ""},
	} {
		t.Run(string(row.setting), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var log bytes.Buffer
				e := newEgress(row.setting)
				checks := 0
				e.reach = func(context.Context) error {
					if checks++; checks <= row.fails {
						return errors.New("no route")
					}
					return nil
				}
				if e.offersDocuments() != (row.setting != settings.DocumentsOff && row.setting != settings.DocumentsAuto) {
					t.Errorf("before the check: got %v", e.offersDocuments())
				}
				e.start(&Program{Logger: slog.New(slog.NewTextHandler(&log, nil))})
				synctest.Wait()
				if got := e.offersDocuments(); got != row.want {
					t.Errorf("offered: got %v, want %v", got, row.want)
				}
				if said := strings.Count(log.String(), "cannot reach the internet"); said != 0 && row.level == "" || !strings.Contains(log.String(), row.level) {
					t.Errorf("log: got %s, want one line of level %q", &log, row.level)
				}
				if row.fails > 0 && row.setting == settings.DocumentsAuto {
					// The network may be up later.
					for range row.fails {
						background.Pause(t.Context(), egressInterval)
						synctest.Wait()
					}
					if !e.offersDocuments() || strings.Count(log.String(), "level=INFO") != 2 {
						t.Errorf("when the network is up: got offered %v, and the log\n%s", e.offersDocuments(), &log)
					}
				}
				e.checks.Stop()
			})
		})
	}
}
