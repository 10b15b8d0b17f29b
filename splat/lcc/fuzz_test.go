package lcc_test

import (
	"errors"
	"testing"

	"portico/splat/folder"
	"portico/splat/gaussian"
	"portico/splat/input"
	"portico/splat/lcc"
	"portico/splat/splattest"
)

// FuzzCapture fuzzes every file of a capture: what is not refused when it is
// opened can be read to its end, and asks for no more than its files have.
func FuzzCapture(f *testing.F) {
	small := splattest.LCCCapture{Splats: 9, Levels: 2, Columns: 2, Harmonics: true, Environment: 2}.Memory()
	for _, c := range []map[string][]byte{splattest.LCCCapture{Splats: 3}.Memory(), small} {
		f.Add(c[splattest.LCCManifest], c["index.bin"], c["data.bin"], c["shcoef.bin"], c["environment.bin"])
	}
	// The hostile ones' data would only slow the fuzzer down.
	for _, hostile := range splattest.HostileLCC() {
		if manifest, index := hostile.Files[splattest.LCCManifest], hostile.Files["index.bin"]; len(manifest)+len(index) < 10_000 {
			f.Add(manifest, index, small["data.bin"], small["shcoef.bin"], small["environment.bin"])
		}
	}
	f.Fuzz(func(t *testing.T, manifest, index, data, harmonics, environment []byte) {
		files := folder.Memory{
			splattest.LCCManifest: manifest, "index.bin": index, "data.bin": data,
			"shcoef.bin": harmonics, "environment.bin": environment,
		}
		c, err := lcc.Open(t.Context(), files, splattest.LCCManifest)
		if err != nil {
			wantInputError(t, err)
			return
		}
		total := 0
		for _, n := range c.Levels() {
			total += n
		}
		if total == 0 || 32*total > len(data) || c.Facts().Environment > int64(len(environment))/32 {
			t.Fatalf("splats: got %d and %d around them of %d and %d bytes", total, c.Facts().Environment, len(data), len(environment))
		}
		cloud := &gaussian.Cloud{}
		for level, n := range c.Levels() {
			if err := c.Positions(t.Context(), level, make([]float32, 3*n), nil); err != nil {
				wantInputError(t, err)
			}
			if err := c.Read(t.Context(), level, numbers(0, n), cloud); err != nil {
				t.Errorf("read: got %v, want nil", err)
			}
			wantFinite(t, cloud)
		}
		if err := c.Environment(t.Context(), cloud); err != nil {
			wantInputError(t, err)
		} else {
			wantFinite(t, cloud)
		}
	})
}

func wantInputError(t *testing.T, err error) {
	t.Helper()
	if _, ok := errors.AsType[*input.Error](err); !ok {
		t.Errorf("error: got %v, want an input.Error", err)
	}
}

// wantFinite checks that no number of the cloud is infinite or none.
func wantFinite(t *testing.T, c *gaussian.Cloud) {
	t.Helper()
	for _, values := range [][]float32{c.Positions, c.Rotations, c.Scales, c.Colours, c.Opacities, c.Harmonics} {
		for i, v := range values {
			if v-v != 0 {
				t.Fatalf("value %d: got %g, want a finite one", i, v)
			}
		}
	}
}
