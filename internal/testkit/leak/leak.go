// Package leak finds goroutines that outlive what started them. No program of users may
// import it.
package leak

import (
	"fmt"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// patience is how long goroutines may take to end. goleak waits for half a second, which a
// busy machine exceeds, as do dials that wait a second before they notice that their client
// is closed.
const patience = time.Minute

// None ends the test if goroutines are left.
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

// Find returns an error that names the goroutines that are left.
func Find(options ...goleak.Option) error {
	deadline := time.Now().Add(patience)
	for {
		err := goleak.Find(options...)
		if err == nil || time.Now().After(deadline) {
			return err
		}
	}
}
