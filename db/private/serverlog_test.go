package private

import (
	"os"
	"strings"
	"testing"
)

// logLocation returns a location with the text in its server log.
func logLocation(t *testing.T, text string) location {
	t.Helper()
	p := location{folder: t.TempDir(), account: account{uid: os.Geteuid()}}
	if err := os.WriteFile(p.path("server.log"), []byte(text), 0o600); err != nil {
		t.Fatalf("WriteFile: %v", err)
	}
	return p
}

func TestServerLog_tail(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", maxTail)
	for _, row := range []struct{ name, before, now, want string }{
		{"nothing", "", "", ""},
		{"nothing of this start", "earlier\n", "", ""},
		{"this start only", "earlier\n", "FATAL: now\n", "FATAL: now"},
		{"the end only", "", "begin" + long, long},
	} {
		log, err := openServerLog(logLocation(t, row.before))
		if err != nil {
			t.Fatalf("openServerLog: %v", err)
		}
		if _, err := log.WriteString(row.now); err != nil {
			t.Fatalf("WriteString: %v", err)
		}
		if got := log.tail(); got != row.want {
			t.Errorf("%s: got %q, want %q", row.name, got, row.want)
		}
		if err := log.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	}
}

func TestOpenServerLog_empties_a_large_one(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		size int
		want int64
	}{
		{maxServerLog, maxServerLog},
		{maxServerLog + 1, 0},
	} {
		p := logLocation(t, strings.Repeat("x", row.size))
		log, err := openServerLog(p)
		if err != nil {
			t.Fatalf("openServerLog: %v", err)
		}
		if err := log.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
		info, err := os.Stat(p.path("server.log"))
		if err != nil {
			t.Fatalf("Stat: %v", err)
		}
		if got := info.Size(); got != row.want {
			t.Errorf("size of a log of %d: got %d, want %d", row.size, got, row.want)
		}
	}
}
