package scenery_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"portico/splat/scenery"
)

func TestWritePLY_writes_the_same_place_each_time(t *testing.T) {
	t.Parallel()
	var file, again bytes.Buffer
	for _, to := range []*bytes.Buffer{&file, &again} {
		if err := scenery.WritePLY(to, 100_000); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(file.Bytes(), again.Bytes()) {
		t.Error("got other bytes the second time")
	}
	header, rows, _ := bytes.Cut(file.Bytes(), []byte("end_header\n"))
	const rowSize = 14 * 4
	count := len(rows) / rowSize
	if !bytes.Contains(header, fmt.Appendf(nil, "element vertex %d\n", count)) || len(rows)%rowSize != 0 {
		t.Errorf("header: got\n%s for %d bytes of rows", header, len(rows))
	}
	if count < 95_000 || count > 125_000 {
		t.Errorf("got %d Gaussians, want about 100,000", count)
	}
	for i := 0; i < len(rows); i += 4 {
		if v := float64(math.Float32frombits(binary.LittleEndian.Uint32(rows[i:]))); math.IsNaN(v) || math.Abs(v) > 200 {
			t.Fatalf("Gaussian %d has %v, want a number of a place of 120 m", i/rowSize, v)
		}
	}
}
