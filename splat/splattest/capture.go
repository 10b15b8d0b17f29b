package splattest

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
)

// BundleMagic is the first four bytes of a SOG bundle, which is a zip.
const BundleMagic = "PK\x03\x04"

// Capture describes an LCC2 export. The zero value of a field means a default or nothing.
type Capture struct {
	// Manifest is the manifest's file name; "scene.lcc2" when empty.
	Manifest string
	// Folder is the folder of all files, without a slash at the end. Empty means the
	// archive's top.
	Folder string
	// Tiles is the number of .sog tiles. TileBytes is the size of each in bytes, at
	// least 4. The bytes after the magic are random, so they do not compress.
	Tiles     int
	TileBytes int64
	// Collision adds a mesh for every tile, like exporters do. Extraction drops them.
	Collision bool
	// Seed selects the random bytes. The same seed gives the same bytes.
	Seed uint64
}

// TileName returns the path of a tile relative to the manifest.
func TileName(i int) string { return "data/3dgs/" + strconv.Itoa(i) + ".sog" }

// ManifestName returns the manifest's file name.
func (c Capture) ManifestName() string {
	if c.Manifest == "" {
		return "scene.lcc2"
	}
	return c.Manifest
}

// WriteTo writes the zip as a stream, in constant memory. It implements io.WriterTo.
func (c Capture) WriteTo(w io.Writer) (int64, error) {
	counter := &countingWriter{w: w}
	z := zip.NewWriter(counter)
	if err := c.write(z); err != nil {
		return counter.n, err
	}
	err := z.Close()
	return counter.n, err
}

// write adds the entries in the order of the exporter: the manifest, then the tiles. A
// reader that needs another order fails on real exports.
func (c Capture) write(z *zip.Writer) error {
	if err := c.add(z, c.ManifestName(), zip.Deflate, c.ManifestJSON()); err != nil {
		return err
	}
	for i := range c.Tiles {
		if err := c.addTile(z, i); err != nil {
			return err
		}
		if !c.Collision {
			continue
		}
		if err := c.add(z, fmt.Sprintf("data/mesh/%d.ply", i), zip.Deflate, []byte("ply\n")); err != nil {
			return err
		}
	}
	return nil
}

// ManifestJSON returns the manifest: one level of tiles below the root, with a node for
// each tile.
func (c Capture) ManifestJSON() []byte {
	files, children := make([]string, c.Tiles), make(map[string]any, c.Tiles)
	for i := range c.Tiles {
		files[i] = TileName(i)
		children[strconv.Itoa(i)] = map[string]any{
			"data": map[string]any{"3dgs": map[string]int{"name": i, "start": 0, "count": 1000}},
		}
	}
	b, err := json.Marshal(map[string]any{
		"version": "0.0.3", "name": "capture", "fileType": "portable", "splatType": ".sog",
		"totalSplats": 1000 * c.Tiles, "lodSplats": []int{1000 * c.Tiles}, "totalLevels": 1,
		"root": map[string]any{"splatFiles": files, "child": children},
	})
	if err != nil {
		panic(err) // strings and numbers always marshal
	}
	return b
}

// Tile returns a reader of a tile's content.
func (c Capture) Tile(i int) io.Reader {
	var seed [32]byte
	copy(seed[:], fmt.Sprintf("%d/%d", c.Seed, i))
	return &tile{random: rand.NewChaCha8(seed), remaining: c.TileBytes, magic: BundleMagic}
}

// addTile adds a tile without compression, as exporters do: its images are compressed.
func (c Capture) addTile(z *zip.Writer, i int) error {
	w, err := z.CreateHeader(&zip.FileHeader{Name: c.path(TileName(i)), Method: zip.Store})
	if err != nil {
		return err
	}
	_, err = io.Copy(w, c.Tile(i))
	return err
}

// add adds a file from memory.
func (c Capture) add(z *zip.Writer, name string, method uint16, body []byte) error {
	w, err := z.CreateHeader(&zip.FileHeader{Name: c.path(name), Method: method})
	if err != nil {
		return err
	}
	_, err = w.Write(body)
	return err
}

// path returns the name of an entry below the folder.
func (c Capture) path(name string) string {
	if c.Folder == "" {
		return name
	}
	return c.Folder + "/" + name
}

// tile reads as the magic followed by random bytes.
type tile struct {
	random    *rand.ChaCha8
	magic     string
	remaining int64
}

// Read implements io.Reader.
func (t *tile) Read(p []byte) (int, error) {
	if t.remaining <= 0 {
		return 0, io.EOF
	}
	p = p[:min(int64(len(p)), t.remaining)]
	n := copy(p, t.magic)
	t.magic = t.magic[n:]
	// ChaCha8.Read never fails.
	_, _ = t.random.Read(p[n:])
	t.remaining -= int64(len(p))
	return len(p), nil
}

// countingWriter counts the bytes that it passes on.
type countingWriter struct {
	w io.Writer
	n int64
}

// Write implements io.Writer.
func (c *countingWriter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}
