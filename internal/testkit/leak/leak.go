// Package leak finds goroutines and processes that tests leave behind. Only tests may import it.
package leak

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// timeout is how long goroutines may take to end. goleak itself waits for half a second. A busy
// machine takes longer, and so do dials that notice only after a second that their client is
// closed.
const timeout = time.Minute

// None fails the test if goroutines are left.
func None(t testing.TB, options ...goleak.Option) {
	t.Helper()
	if err := Find(options...); err != nil {
		t.Error(err)
	}
}

// Main runs the tests of a package and exits. It fails if the tests leave goroutines or child
// processes behind.
func Main(m *testing.M) {
	code := m.Run()
	if code == 0 {
		if err := errors.Join(Find(), findChild()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// Find returns an error that names the goroutines that are left, or nil. It tries again until the
// timeout, because goroutines end a moment after the call that stopped them. goleak itself pauses
// between its checks.
func Find(options ...goleak.Option) error {
	deadline := time.Now().Add(timeout)
	for {
		err := goleak.Find(options...)
		if err == nil || time.Now().After(deadline) {
			return err
		}
	}
}

// findChild returns an error if this process has a child that still runs, or one that has ended and
// that nothing has waited for.
func findChild() error {
	pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
	switch {
	case errors.Is(err, syscall.ECHILD):
		return nil
	case err != nil:
		return fmt.Errorf("look for child processes: %w", err)
	case pid == 0:
		return errors.New("a child process still runs")
	default:
		return fmt.Errorf("nothing has waited for the child process %d", pid)
	}
}
