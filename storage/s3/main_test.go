package s3

import (
	"testing"

	"portico/internal/testkit/leak"
)

func TestMain(m *testing.M) { leak.Main(m) }
