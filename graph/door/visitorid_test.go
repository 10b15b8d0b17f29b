package door

import (
	"testing"
	"time"
)

func TestVisitorID_changes_with_the_day_the_address_and_the_secret(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 11, 22, 23, 59, 59, 0, time.UTC)
	id := visitorID([]byte("secret"), "ip:192.0.2.1", day)
	if got := visitorID([]byte("secret"), "ip:192.0.2.1", day.Add(-23*time.Hour)); got != id {
		t.Errorf("%s: got %s, want %s", "the same day", got, id)
	}
	for what, other := range map[string]string{
		"the next day":    visitorID([]byte("secret"), "ip:192.0.2.1", day.Add(time.Second)),
		"another address": visitorID([]byte("secret"), "ip:192.0.2.2", day),
		"another secret":  visitorID([]byte("secre"), "ip:192.0.2.1", day),
	} {
		if other == id {
			t.Errorf("%s: got the same id %s, want another", what, id)
		}
	}
}
