package server

import (
	"testing"

	"portico/internal/testkit/leak"
)

func TestMain(m *testing.M) { leak.Main(m) }

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
