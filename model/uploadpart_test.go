package model_test

import (
	"testing"

	"portico/model"
)

// The parts of a file are its bytes, each once and in order, in whole units except the last.
func TestDividedUpload_has_each_byte_once(t *testing.T) {
	t.Parallel()
	const unit = model.UploadPartUnit
	for _, size := range []int64{1, unit - 1, unit, unit + 1, 3 * unit, 5*unit - 7, 16 * unit, 17 * unit, 20e9} {
		for count := 1; count <= model.MaxUploadParts; count++ {
			end := int64(0)
			parts := model.SplitUpload(size, count)
			for i, part := range parts {
				if part.Number != i+1 || part.Offset != end || part.Size < 1 || part.Offset%unit != 0 {
					t.Fatalf("%d bytes in %d: got %+v as part %d behind %d bytes", size, count, part, i+1, end)
				}
				end += part.Size
			}
			if end != size || len(parts) > count {
				t.Errorf("%d bytes in %d: got %d bytes in %d parts", size, count, end, len(parts))
			}
		}
	}
}
