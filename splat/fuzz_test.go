package splat_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"portico/splat"
	"portico/splat/folder"
)

// anyPLY returns a PLY of Gaussians whose values are the bytes, as they are: numbers of every size,
// infinite ones and ones that are not numbers. A Gaussian that is cut short is left out.
func anyPLY(degree int, values []byte) []byte {
	names := []string{"x", "y", "z", "f_dc_0", "f_dc_1", "f_dc_2", "opacity", "scale_0", "scale_1", "scale_2", "rot_0", "rot_1", "rot_2", "rot_3"}
	for i := range 3 * ((degree+1)*(degree+1) - 1) {
		names = append(names, fmt.Sprintf("f_rest_%d", i))
	}
	n := len(values) / (4 * len(names))
	file := fmt.Appendf(nil, "ply\nformat binary_little_endian 1.0\nelement vertex %d\n", n)
	for _, name := range names {
		file = fmt.Appendf(file, "property float %s\n", name)
	}
	return append(append(file, "end_header\n"...), values[:4*len(names)*n]...)
}

// floats returns the bytes of values in a PLY.
func floats(all ...float32) (b []byte) {
	for _, v := range all {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

// FuzzWriters writes any Gaussians that can be read in every format. Each file must be read
// again with as many Gaussians as were written.
func FuzzWriters(f *testing.F) {
	f.Add(byte(0), bytes.Repeat(floats(1, 2, 3, 0.1, 0.2, 0.3, 4, -3, -4, -5, 1, 0, 0, 0), 5))
	f.Add(byte(0), floats(math.MaxFloat32, -math.MaxFloat32, 1e-45, 1e30, -1e30, 0, 100, 88, -100, float32(math.Inf(-1)), 0, 0, 0, 0))
	f.Add(byte(1), bytes.Repeat(floats(1, 2, 3, 4, 5, 6, 7), 20))
	f.Add(byte(3), bytes.Repeat(floats(-1, 1e9, -1e-9, 0.5), 100))
	f.Fuzz(func(t *testing.T, degree byte, values []byte) {
		source := folder.Memory{"scene.ply": anyPLY(int(degree%4), values[:min(len(values), 1<<14)])}
		c, err := splat.Open(t.Context(), source, "scene.ply")
		if err != nil {
			wantFileFault(t, err)
			return
		}
		defer c.Close()
		if c.Facts.Splats == 0 {
			return
		}
		for _, format := range []splat.Format{splat.FormatPLY, splat.FormatCompressedPLY, splat.FormatSPZ, splat.FormatGLB, splat.FormatCSV} {
			for version := range map[splat.Format]int{splat.FormatSPZ: 2}[format] + 1 {
				checkWritten(t, c, format, version)
			}
		}
		checkStreams(t, c)
	})
}

// checkWritten writes a format and reads it again. Versions above 0 are the ones of SPZ from 3
// on.
func checkWritten(t *testing.T, c *splat.Capture, format splat.Format, version int) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "made")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	o := splat.ConvertOptions{Workers: 1}
	if version > 0 {
		o.SPZVersion = version + 2
	}
	made, _, err := c.WriteFile(t.Context(), format, file, o)
	if closed := file.Close(); closed != nil {
		t.Fatal(closed)
	}
	if err != nil {
		wantFileFault(t, err)
		return
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if format == splat.FormatCSV {
		if lines := bytes.Count(content, []byte("\n")); int64(lines) != made.Splats+1 {
			t.Errorf("csv: got %d lines, want one for each of %d Gaussians and the names", lines, made.Splats)
		}
		return
	}
	name := "made" + map[splat.Format]string{splat.FormatPLY: ".ply", splat.FormatCompressedPLY: ".ply", splat.FormatSPZ: ".spz", splat.FormatGLB: ".glb"}[format]
	checkRead(t, folder.Memory{name: content}, name, made)
}

// checkStreams writes a bundle, a streamed SOG and a turntable.
func checkStreams(t *testing.T, c *splat.Capture) {
	t.Helper()
	o := splat.ConvertOptions{Workers: 1}
	var bundle, turntable bytes.Buffer
	made, _, err := c.WriteSOG(t.Context(), &bundle, o)
	if err != nil {
		wantFileFault(t, err)
		return
	}
	checkRead(t, folder.Memory{"made.sog": bundle.Bytes()}, "made.sog", made)
	streamed := folder.Memory{}
	if made, _, err = c.WriteStreamedSOG(t.Context(), streamed, o); err != nil {
		t.Fatalf("streamed: got %v, want what the bundle has", err)
	}
	checkRead(t, streamed, splat.StreamedSOGName, made)
	if _, err := c.WriteTurntable(t.Context(), &turntable, splat.TurntableOptions{Width: 8, Height: 5, Frames: 2}, o); err != nil {
		wantFileFault(t, err)
		return
	}
	if frames := bytes.Count(turntable.Bytes(), []byte("ANMF")); frames != 2 {
		t.Errorf("turntable: got %d frames, want 2", frames)
	}
}

// checkRead checks that a file is read with the Gaussians that were written.
func checkRead(t *testing.T, files folder.Memory, name string, made splat.Facts) {
	t.Helper()
	read, err := splat.Inspect(t.Context(), files, name)
	if err != nil {
		t.Errorf("%s: got %v, want it read again", made.Format, err)
		return
	}
	if read.Format != made.Format || read.Splats-read.LeftOut != made.Splats {
		t.Errorf("%s: got %d splats, %d of them left out, as %s, want %d", made.Format, read.Splats, read.LeftOut, read.Format, made.Splats)
	}
}

// wantFileFault checks that an error is about the file. The medium cannot fail.
func wantFileFault(t *testing.T, err error) {
	t.Helper()
	if _, ok := errors.AsType[*splat.InputError](err); !ok {
		t.Fatalf("got %v, want an error that names the file", err)
	}
}
