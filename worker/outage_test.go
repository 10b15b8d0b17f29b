package worker

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"net"
	"testing"
	"time"

	"portico/splat"
	"portico/storage"
	"portico/storage/disk"
)

func TestOutage(t *testing.T) {
	t.Parallel()
	files, err := disk.Open(disk.Options{Folder: t.TempDir(), BaseURL: "http://localhost", Secret: secret})
	if err != nil {
		t.Fatalf("open the store: %v", err)
	}
	there, away := storage.Store(files), storage.Store(lost{files})
	refused := fmt.Errorf("open a.zip: %w", storage.ErrUnavailable)
	dialed := fmt.Errorf("job: %w", &net.OpError{Op: "dial", Err: errors.New("refused")})
	for _, test := range []struct {
		name      string
		store     storage.Store
		err       error
		age, took time.Duration
		wait      time.Duration
		want      bool
	}{
		{"at first", away, refused, 0, 0, time.Second, true},
		{"for a minute", away, refused, time.Minute, 0, 30 * time.Second, true},
		{"for hours", away, refused, 23 * time.Hour, 0, time.Minute, true},
		{"after work of minutes", away, refused, time.Hour, 10 * time.Minute, 10 * time.Minute, true},
		{"after work of hours", away, refused, 3 * time.Hour, 3 * time.Hour, time.Hour, true},
		{"for too long", away, refused, maxOutage, 0, 0, false},
		{"before a clock was set back", away, refused, -time.Hour, 0, time.Second, true},
		{"of the database", there, dialed, 0, 0, time.Second, true},
		{"of one object", there, refused, 0, 0, 0, false},
		{"of one object, whose connection breaks", there, errors.Join(refused, dialed), 0, 0, 0, false},
		{"while the file is bad", away, errors.Join(refused, &splat.InputError{Message: "Bad"}), 0, 0, 0, false},
		{"of nothing", away, errors.New("a bug"), 0, 0, 0, false},
	} {
		wait, ok := outage(t.Context(), test.store, test.err, time.Now().Add(-test.age), time.Now().Add(-test.took))
		if wait.Round(time.Second) != test.wait || ok != test.want {
			t.Errorf("%s: got %v, %v, want %v, %v", test.name, wait, ok, test.wait, test.want)
		}
	}
}

func TestRetryWhileUnavailable_waits_for_the_database(t *testing.T) {
	t.Parallel()
	a, attempts := &attempt{}, 0
	current, err := a.retryWhileUnavailable(t.Context(), func(context.Context) (bool, error) {
		if attempts++; attempts < 3 {
			return false, driver.ErrBadConn
		}
		return true, nil
	})
	if !current || err != nil || attempts != 3 {
		t.Errorf("got %v, %v after %d times, want true and nil after 3", current, err, attempts)
	}
	wrong := errors.New("wrong")
	if _, err := a.retryWhileUnavailable(t.Context(), func(context.Context) (bool, error) { return false, wrong }); !errors.Is(err, wrong) {
		t.Errorf("got %v, want %v at once", err, wrong)
	}
	stopping, stop := context.WithCancel(t.Context())
	stop()
	if _, err := a.retryWhileUnavailable(stopping, func(context.Context) (bool, error) { return false, driver.ErrBadConn }); !errors.Is(err, driver.ErrBadConn) {
		t.Errorf("while the process stops: got %v, want %v", err, driver.ErrBadConn)
	}
}
