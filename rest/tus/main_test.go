package tus_test

import (
	"os"
	"strings"
	"testing"

	"portico/internal/testkit/postgres"
	"portico/internal/testkit/s3"
)

// TestMain sets the keys of the test's buckets, because a parallel test cannot.
func TestMain(m *testing.M) {
	for _, variable := range s3.Environment() {
		name, value, _ := strings.Cut(variable, "=")
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
	postgres.Main(m)
}
