package limit

import (
	"testing"

	"portico/internal/testkit/leak"
)

// A Limiter that is closed has no goroutine left.
func TestMain(m *testing.M) { leak.Main(m) }
