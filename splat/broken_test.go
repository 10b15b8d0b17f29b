package splat_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"portico/splat"
	"portico/splat/folder"
)

// plyOf returns a PLY of Gaussians on a line, of which the first ones are broken.
func plyOf(count, broken int) []byte {
	rows := make([][]float32, count)
	for i := range rows {
		rows[i] = []float32{float32(i), 0, 0, 1, 1, 1, 5, -3, -3, -3, 1, 0, 0, 0}
		if i < broken {
			rows[i][i%len(rows[i])] = float32(math.NaN())
		}
	}
	return plyOfRows(rows)
}

// plyOfRows returns a PLY of Gaussians without harmonics.
func plyOfRows(rows [][]float32) []byte {
	properties := strings.Fields("x y z f_dc_0 f_dc_1 f_dc_2 opacity scale_0 scale_1 scale_2 rot_0 rot_1 rot_2 rot_3")
	content := fmt.Appendf(nil, "ply\nformat binary_little_endian 1.0\nelement vertex %d\n", len(rows))
	for _, name := range properties {
		content = fmt.Appendf(content, "property float %s\n", name)
	}
	content = append(content, "end_header\n"...)
	for _, row := range rows {
		for _, v := range row {
			content = binary.LittleEndian.AppendUint32(content, math.Float32bits(v))
		}
	}
	return content
}

func TestCapture_leaves_out_broken_Gaussians(t *testing.T) {
	t.Parallel()
	files := folder.Memory{"a.ply": plyOf(1000, 10), "b.ply": plyOf(1000, 11)}
	facts, err := splat.Inspect(t.Context(), files, "a.ply")
	if err != nil {
		t.Fatal(err)
	}
	if facts.Splats != 1000 || facts.LeftOut != 10 {
		t.Errorf("facts of the file: got %d splats and %d left out, want 1000 and 10", facts.Splats, facts.LeftOut)
	}
	var bundle bytes.Buffer
	capture := openCapture(t, files, "a.ply")
	written, warnings, err := capture.WriteSOG(t.Context(), &bundle, splat.ConvertOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, second, err := capture.WriteSOG(t.Context(), io.Discard, splat.ConvertOptions{}); err != nil || !slices.Equal(second, warnings) {
		t.Errorf("second time: got the warnings %q, %v, want %q", second, err, warnings)
	}
	if written.Splats != 990 || written.LeftOut != 10 || len(warnings) != 1 {
		t.Errorf("facts of the result: got %d splats, %d left out and the warnings %q, want 990, 10 and one", written.Splats, written.LeftOut, warnings)
	}
	again, err := splat.Inspect(t.Context(), folder.Memory{"a.sog": bundle.Bytes()}, "a.sog")
	if err != nil || again.Splats != 990 || again.LeftOut != 0 {
		t.Errorf("the result: got %+v, %v, want 990 splats", again, err)
	}
	if _, err := splat.Inspect(t.Context(), files, "b.ply"); err == nil || !strings.Contains(err.Error(), "11 of 1000") {
		t.Errorf("too many: got %v, want an error that counts them", err)
	}
}
