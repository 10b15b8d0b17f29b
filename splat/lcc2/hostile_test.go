package lcc2_test

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"sync/atomic"
	"testing"

	"portico/splat/folder"
	"portico/splat/gaussian"
	"portico/splat/input"
	"portico/splat/lcc2"
)

// counting is a folder that counts the bytes that are read of its tiles.
type counting struct {
	folder.Reader

	read atomic.Int64
}

// Open implements folder.Reader.
func (c *counting) Open(ctx context.Context, name string) (folder.File, error) {
	file, err := c.Reader.Open(ctx, name)
	if err != nil || path.Ext(name) != ".sog" {
		return file, err
	}
	return countingFile{file, &c.read}, nil
}

type countingFile struct {
	folder.File

	read *atomic.Int64
}

// ReadAt implements io.ReaderAt.
func (f countingFile) ReadAt(p []byte, at int64) (int, error) {
	n, err := f.File.ReadAt(p, at)
	f.read.Add(int64(n))
	return n, err
}

// cut returns the manifest of six tiles of 5 splats, each cut into so many nodes
// that are mixed with the nodes of the others.
func cut(nodes int) string {
	var files, children []string
	for tile := range 6 {
		files = append(files, fmt.Sprintf(`"data/3dgs/%d.sog"`, tile))
	}
	for node := range nodes {
		for tile := range 6 {
			from, to := node*5/nodes, (node+1)*5/nodes
			children = append(children, fmt.Sprintf(`{"data":{"3dgs":{"name":%d,"start":%d,"count":%d}}}`, tile, from, to-from))
		}
	}
	return fmt.Sprintf(`{"totalLevels":1,"root":{"splatFiles":[%s],"child":[%s]}}`, strings.Join(files, ","), strings.Join(children, ","))
}

func TestRead_decodes_a_tile_once_however_many_nodes_it_has(t *testing.T) {
	t.Parallel()
	bytesRead := func(nodes int) int64 {
		memory := folder.Memory{"scan/room.lcc2": []byte(cut(nodes))}
		for i := range 6 {
			memory[fmt.Sprintf("scan/data/3dgs/%d.sog", i)] = tile(t, row(5*i, 5))
		}
		files := &counting{Reader: memory}
		checkLevel(t, open(t, files), 0, row(0, 30))
		return files.read.Load()
	}
	if got, want := bytesRead(5), bytesRead(1); got != want {
		t.Errorf("tiles cut into 5 nodes: read %d bytes, want the %d of one node", got, want)
	}
}

func TestOpen_refuses(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`{"child":[`, 40) + strings.Repeat(`]}`, 40)
	for _, test := range []struct{ name, manifest, want string }{
		{"no JSON", `{`, "is not an LCC2 manifest"},
		{"no levels", `{"root":{}}`, "has 0 levels of detail; 1 to 32 can be read"},
		{"too many levels", `{"totalLevels":33}`, "has 33 levels of detail"},
		{"no Gaussians", `{"totalLevels":1,"root":{}}`, "has no Gaussians"},
		{"a tree that is too deep", `{"totalLevels":32,"root":` + deep + `}`, "tree has more levels than the 32"},
		{"a tree of numbers", `{"totalLevels":2,"root":{"child":[1]}}`, "its tree of nodes cannot be read"},
		{"a tile that is not listed", `{"totalLevels":1,"root":{"splatFiles":["a.sog"],"child":[{"data":{"3dgs":{"name":1,"count":1}}}]}}`, "refers to tile 1, but there are 1"},
		{"a negative count", `{"totalLevels":1,"root":{"splatFiles":["a.sog"],"child":[{"data":{"3dgs":{"name":0,"count":-5}}}]}}`, "with -5 Gaussians"},
		{"a level that is too large", `{"totalLevels":1,"root":{"splatFiles":["a.sog"],"child":[{"data":{"3dgs":{"name":0,"count":2000000000}}},{"data":{"3dgs":{"name":0,"count":2000000000}}}]}}`, "Gaussians in one level"},
		{"a tile that is missing", `{"totalLevels":1,"root":{"splatFiles":["a.sog"],"child":[{"data":{"3dgs":{"name":0,"count":1}}}]}}`, `"a.sog" is missing`},
		{"a tile outside", `{"totalLevels":1,"root":{"splatFiles":["../../etc/x.sog"],"child":[{"data":{"3dgs":{"name":0,"count":1}}}]}}`, "is missing"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := lcc2.Open(t.Context(), folder.Memory{"room.lcc2": []byte(test.manifest)}, "room.lcc2")
			if fault, ok := errors.AsType[*input.Error](err); !ok || !strings.Contains(fault.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

func TestRead_refuses_tiles_with_less_than_the_manifest_says(t *testing.T) {
	t.Parallel()
	c := open(t, world(t, `{"totalLevels":1,"root":{"splatFiles":["data/3dgs/0.sog"],"child":[{"data":{"3dgs":{"name":0,"start":2,"count":4}}}]}}`))
	var cloud gaussian.Cloud
	for _, err := range []error{
		c.Read(t.Context(), 0, []uint32{0}, &cloud),
		c.Positions(t.Context(), 0, make([]float32, 12), nil),
	} {
		if fault, ok := errors.AsType[*input.Error](err); !ok || !strings.Contains(fault.Error(), "has 5 Gaussians, but the manifest refers to 6") {
			t.Errorf("got %v, want that the tile has too few Gaussians", err)
		}
	}
}

// FuzzOpen reads what any manifest says of real tiles.
func FuzzOpen(f *testing.F) {
	f.Add([]byte(current))
	f.Add([]byte(old))
	files := world(f, "")
	f.Fuzz(func(t *testing.T, manifest []byte) {
		capture := folder.Memory{}
		for name, content := range files {
			capture[name] = content
		}
		capture["scan/room.lcc2"] = manifest
		c, err := lcc2.Open(t.Context(), capture, "scan/room.lcc2")
		if err != nil {
			mustBlameTheFile(t, err)
			return
		}
		for level, n := range c.Levels() {
			numbers := []uint32{uint32(n - 1), 0}
			var cloud gaussian.Cloud
			mustBlameTheFile(t, c.Read(t.Context(), level, numbers, &cloud))
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

// mustBlameTheFile fails for every error that is not about the user's file.
func mustBlameTheFile(t *testing.T, err error) {
	t.Helper()
	if _, ok := errors.AsType[*input.Error](err); err != nil && !ok {
		t.Fatal(fmt.Errorf("no *input.Error: %w", err))
	}
}
