package disk

import (
	"testing"

	"portico/internal/testkit/leak"
)

func TestMain(m *testing.M) { leak.Main(m) }
