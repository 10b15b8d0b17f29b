package splat_test

import (
	"testing"

	"portico/internal/testkit/leak"
)

// The goroutine that writes a collision ends with the test: none outlives WriteCollision.
func TestMain(m *testing.M) { leak.Main(m) }
