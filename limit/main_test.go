package limit

import (
	"testing"

	"go.uber.org/goleak"
)

// A Limiter that is closed has no goroutine left.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
