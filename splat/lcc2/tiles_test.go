package lcc2_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"portico/splat/folder"
	"portico/splat/gaussian"
	"portico/splat/input"
	"portico/splat/lcc2"
	"portico/splat/ply"
	"portico/splat/spz"
)

// spzTile returns an SPZ file that holds the values of the cloud unchanged, as exporters
// write tiles: its axes are called right, up, back, and hold z up.
func spzTile(t testing.TB, cloud *gaussian.Cloud) []byte {
	t.Helper()
	turned := &gaussian.Cloud{}
	if err := gaussian.NewMemorySource(nil, cloud).Read(t.Context(), 0, numbers(cloud.Len()), turned); err != nil {
		t.Fatal(err)
	}
	// The writer turns y and z, which is turned back before.
	turned.Rotate([4]float32{1, 0, 0, 0})
	for i := range turned.Len() {
		copy(turned.Rotations[4*i:], []float32{0, 0, 0, 1}) // of balls
	}
	var out bytes.Buffer
	if _, err := spz.Write(t.Context(), gaussian.NewMemorySource(nil, turned), &out, spz.WriteOptions{Version: 3}); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func plyTile(t testing.TB, cloud *gaussian.Cloud) []byte {
	t.Helper()
	var out bytes.Buffer
	if _, err := ply.Write(t.Context(), gaussian.NewMemorySource(nil, cloud), &out, ply.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func numbers(n int) []uint32 {
	all := make([]uint32, n)
	for i := range all {
		all[i] = uint32(i)
	}
	return all
}

func TestOpen_reads_tiles_of_every_format(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		manifest string
		files    folder.Memory
	}{
		"SPZ by the names": {
			`{"totalLevels":1,"root":{"splatFiles":["data/0.spz","data/1.SPZ"],"child":[{"data":{"3dgs":{"name":0}}},{"data":{"3dgs":{"name":1}}}]}}`,
			folder.Memory{"scan/data/0.spz": spzTile(t, row(0, 5)), "scan/data/1.SPZ": spzTile(t, row(5, 3))},
		},
		"SPZ by the type": {
			`{"lod_level":1,"splatType":".spz","root":{"files":["/data/0","/data/1"],"child":[{"data":{"3dgs":{"name":0}}},{"data":{"3dgs":{"name":1}}}]}}`,
			folder.Memory{"scan/data/0.spz": spzTile(t, row(0, 5)), "scan/data/1.spz": spzTile(t, row(5, 3))},
		},
		"PLY beside SOG": {
			`{"totalLevels":1,"root":{"splatFiles":["data/0.ply","data/1.sog"],"child":[{"data":{"3dgs":{"name":0}}},{"data":{"3dgs":{"name":1}}}]}}`,
			folder.Memory{"scan/data/0.ply": plyTile(t, row(0, 5)), "scan/data/1.sog": tile(t, row(5, 3))},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.files["scan/room.lcc2"] = []byte(test.manifest)
			c := open(t, test.files)
			if got := c.Levels(); !slices.Equal(got, []int{8}) {
				t.Fatalf("levels: got %v, want 8 splats", got)
			}
			checkLevel(t, c, 0, row(0, 8))
		})
	}
}

func TestOpen_refuses_a_tile_without_Gaussians(t *testing.T) {
	t.Parallel()
	const mesh = "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\nend_header\n1 2 3\n"
	_, err := lcc2.Open(t.Context(), folder.Memory{
		"room.lcc2":  []byte(`{"totalLevels":1,"root":{"splatFiles":["data/0.ply"],"child":[{"data":{"3dgs":{"name":0}}}]}}`),
		"data/0.ply": []byte(mesh),
	}, "room.lcc2")
	if _, ok := errors.AsType[*input.Error](err); !ok || !strings.Contains(err.Error(), "a tile without Gaussians") {
		t.Errorf("got %v, want an error about the tile", err)
	}
}
