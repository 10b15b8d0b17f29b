package worker

import (
	"testing"
	"time"

	"portico/db"
)

func TestWorker_purges_the_audit_trail(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.exec(t, `INSERT INTO audit_events (id, user_id, type, created_at) VALUES
		('old', '`+w.user.ID+`', 'signed-in', now() - interval '49 hours'),
		('recent', '`+w.user.ID+`', 'signed-in', now() - interval '47 hours')`)
	w.start(t, func(o *Options) { o.AuditRetention = 48 * time.Hour })
	for deadline := time.Now().Add(20 * time.Second); ; {
		events, err := w.db.Audit().AuditTrail(t.Context(), db.AuditFilter{UserID: w.user.ID}, 10)
		if err != nil {
			t.Fatalf("audit trail: %v", err)
		}
		kept := map[string]bool{}
		for _, event := range events {
			kept[event.ID] = true
		}
		if !kept["recent"] {
			t.Fatal("recent event: got none, want it kept")
		}
		if !kept["old"] {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("old event: got it, want it purged")
		}
		<-time.After(50 * time.Millisecond)
	}
}
