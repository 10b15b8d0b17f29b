package splattest

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
)

// BundleMagic is how a SOG bundle, which is a zip, begins.
const BundleMagic = "PK\x03\x04"

// Capture describes an LCC2 export. The zero value of a field is a default or
// leaves the thing out.
type Capture struct {
	// Manifest is the manifest's file name; "scene.lcc2" when empty.
	Manifest string
	// Folder is the folder that holds everything, without a slash at the end;
	// empty for the archive's top.
	Folder string
	// Tiles is the number of .sog tiles, TileBytes the size of each in bytes,
	// at least 4. The bytes are random after the magic, so they do not compress.
	Tiles     int
	TileBytes int64
	// Collision adds a mesh for every tile, as exporters do; extraction drops
	// them.
	Collision bool
	// Seed makes captures differ; the same seed gives the same bytes.
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

// WriteTo writes the zip as a stream: memory does not grow with the capture. It
// implements io.WriterTo.
func (c Capture) WriteTo(w io.Writer) (int64, error) {
	counter := &counter{w: w}
	z := zip.NewWriter(counter)
	if err := c.write(z); err != nil {
		return counter.n, err
	}
	err := z.Close()
	return counter.n, err
}

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

// ManifestJSON returns the manifest as WriteTo writes it: one level of tiles
// below the root, one node for each.
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

// Tile returns a reader of the content of a tile.
func (c Capture) Tile(i int) io.Reader {
	var seed [32]byte
	copy(seed[:], fmt.Sprintf("%d/%d", c.Seed, i))
	return &tile{random: rand.NewChaCha8(seed), left: c.TileBytes, magic: BundleMagic}
}

func (c Capture) addTile(z *zip.Writer, i int) error {
	w, err := z.CreateHeader(&zip.FileHeader{Name: c.path(TileName(i)), Method: zip.Store})
	if err != nil {
		return err
	}
	_, err = io.Copy(w, c.Tile(i))
	return err
}

func (c Capture) add(z *zip.Writer, name string, method uint16, body []byte) error {
	w, err := z.CreateHeader(&zip.FileHeader{Name: c.path(name), Method: method})
	if err != nil {
		return err
	}
	_, err = w.Write(body)
	return err
}

func (c Capture) path(name string) string {
	if c.Folder == "" {
		return name
	}
	return c.Folder + "/" + name
}

// tile gives the magic, then random bytes.
type tile struct {
	random *rand.ChaCha8
	magic  string
	left   int64
}

// Read implements io.Reader.
func (t *tile) Read(p []byte) (int, error) {
	if t.left <= 0 {
		return 0, io.EOF
	}
	p = p[:min(int64(len(p)), t.left)]
	n := copy(p, t.magic)
	t.magic = t.magic[n:]
	// ChaCha8.Read never fails.
	_, _ = t.random.Read(p[n:])
	t.left -= int64(len(p))
	return len(p), nil
}

// counter counts the bytes that pass.
type counter struct {
	w io.Writer
	n int64
}

// Write implements io.Writer.
func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}
