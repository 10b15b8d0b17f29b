// Package leak finds goroutines that tests leave behind. Only tests may import it.
package leak

import (
	"fmt"
	"os"
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

// Main runs the tests of a package and exits. It fails if the tests leave goroutines behind.
func Main(m *testing.M) {
	code := m.Run()
	if code == 0 {
		if err := Find(); err != nil {
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
