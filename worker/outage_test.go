package worker

import (
	"errors"
	"fmt"
	"net"
	"testing"
	"time"

	"portico/splat"
	"portico/storage"
)

func TestOutage(t *testing.T) {
	t.Parallel()
	away := fmt.Errorf("open a.zip: %w", storage.ErrUnavailable)
	for _, test := range []struct {
		name string
		err  error
		age  time.Duration
		wait time.Duration
		want bool
	}{
		{"at first", away, 0, time.Second, true},
		{"for a minute", away, time.Minute, 30 * time.Second, true},
		{"for hours", away, 23 * time.Hour, time.Minute, true},
		{"for too long", away, longestOutage, time.Minute, false},
		{"before a clock was set back", away, -time.Hour, time.Second, true},
		{"of the database", fmt.Errorf("job: %w", &net.OpError{Op: "dial", Err: errors.New("refused")}), 0, time.Second, true},
		{"while the file is bad", errors.Join(away, &splat.InputError{Message: "Bad"}), 0, 0, false},
		{"of nothing", errors.New("a bug"), 0, 0, false},
	} {
		wait, ok := outage(test.err, time.Now().Add(-test.age))
		if wait.Round(time.Second) != test.wait || ok != test.want {
			t.Errorf("%s: got %v, %v, want %v, %v", test.name, wait, ok, test.wait, test.want)
		}
	}
}
