package observe

import (
	"testing"

	"portico/internal/testkit/postgres"
)

func TestMain(m *testing.M) { postgres.MainWithoutLeaks(m) }

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
