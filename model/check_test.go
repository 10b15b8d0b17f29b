package model

import "testing"

// check ends the test at an error that it does not expect.
func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
}

// checkInvalid compares the message for the client; "" means no error.
func checkInvalid(t testing.TB, err error, want string) {
	t.Helper()
	if err == nil && want == "" {
		return
	}
	if err == nil || err.Error() != want || CodeOf(err) != CodeInvalid {
		t.Errorf("error: got %v (%s), want %q", err, CodeOf(err), want)
	}
}

func ptr[T any](v T) *T { return &v }
