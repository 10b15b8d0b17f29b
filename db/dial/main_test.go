package dial

import (
	"context"
	"testing"

	"portico/internal/testkit/postgres"
)

func TestMain(m *testing.M) { postgres.Main(m) }

// nothing is the migration of a database without tables.
func nothing(context.Context, string, string) error { return nil }

// check ends the test at an error that it does not expect.
func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
}
