package graph_test

import (
	"testing"
	"time"

	"portico/model"
)

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// checkError compares the code and the message of an error. The code "" means no error, and an
// empty message means any message.
func checkError(t testing.TB, err error, code model.Code, message string) {
	t.Helper()
	if got := model.CodeOf(err); got != code {
		t.Fatalf("error: got code %q (%v), want %q", got, err, code)
	}
	if err == nil || message == "" {
		return
	}
	if got := model.AsError(err).Message; got != message {
		t.Errorf("message: got %q, want %q", got, message)
	}
}

// equal compares two values.
func equal[T comparable](t testing.TB, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// receive waits for a value, and reports whether it came before the channel was closed.
func receive[T any](t testing.TB, from <-chan T) (value T, open bool) {
	t.Helper()
	select {
	case value, open = <-from:
	case <-time.After(timeout):
		t.Fatalf("got nothing within %v", timeout)
	}
	return value, open
}

// eventually waits until the condition holds, for conditions that have no signal.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	tick, end := time.NewTicker(time.Millisecond), time.After(timeout)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-end:
			t.Fatalf("%s: not within %v", what, timeout)
		}
	}
}

// drain receives until the channel is closed.
func drain[T any](t testing.TB, from <-chan T) {
	t.Helper()
	for open := true; open; {
		_, open = receive(t, from)
	}
}
