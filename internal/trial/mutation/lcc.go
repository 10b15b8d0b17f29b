package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"

	"portico/splat/folder"
	"portico/splat/splattest"
)

// lccIndex is the name of an LCC capture's index. It has 4 bytes for each unit plus 16 for
// each of its levels.
const lccIndex = "index.bin"

// brokenLCC returns a capture in which one Gaussian of every two hundred has no position,
// as few as readers leave out.
func brokenLCC(original splattest.LCCCapture) capture {
	files := folder.Memory(original.Memory())
	const record = 32
	data := files["data.bin"]
	for at := 0; at+record <= len(data); at += 200 * record {
		binary.LittleEndian.PutUint32(data[at:], math.Float32bits(float32(math.NaN())))
	}
	return capture{"lcc-broken", files, splattest.LCCManifest, true}
}

// addExtras adds the files of newer exporters to a capture: a start, a collision file of one
// triangle, and no picture, because pictures have captures of their own.
//
// The collision file has one cell with one triangle:
//
//	0     "coll"
//	4     the version, 2
//	8     the length of the header, 88
//	12    32 bytes of bounds and cell sizes, which are zero here
//	44    the number of cells, 1
//	48    8 bytes, zero
//	56    the offset of the cell's data, 88
//	64    its length, 48
//	72    the number of vertices, 3
//	76    the number of triangles, 1
//	80    8 bytes, zero
//	88    the vertices and triangles
func addExtras(c capture) capture {
	le := binary.LittleEndian
	collision := le.AppendUint32([]byte("coll"), 2)
	collision = append(le.AppendUint32(collision, 88), make([]byte, 32)...)
	collision = append(le.AppendUint32(collision, 1), make([]byte, 8)...)
	collision = le.AppendUint64(le.AppendUint64(collision, 88), 48)
	collision = le.AppendUint32(le.AppendUint32(collision, 3), 1)
	c.files["collision.lci"] = append(collision, make([]byte, 8+48)...)
	c.files["attrs.lcp"] = []byte(`{"spawnPoint":{"position":[0,0,1.6],"rotation":[0.707,0,0,0.707]}}`)
	return c
}

// repeatUnits repeats the units of an LCC capture, and multiplies the counts of its
// manifest accordingly: without that, a reader would refuse the counts and never see
// that the units share their data.
func (m *mutator) repeatUnits(files folder.Memory, primary string) {
	var manifest map[string]any
	if json.Unmarshal(files[primary], &manifest) != nil {
		return // changed before
	}
	counts, ok := manifest["splats"].([]any)
	if !ok {
		return
	}
	n := 2 << m.IntN(10)
	m.note("all units %d times, also in the manifest", n)
	for i, count := range counts {
		if number, ok := count.(float64); ok {
			counts[i] = number * float64(n)
		}
	}
	if total, ok := manifest["totalSplats"].(float64); ok {
		manifest["totalSplats"] = total * float64(n)
	}
	if changed, err := json.Marshal(manifest); err == nil {
		files[primary] = changed
	}
	files[lccIndex] = repeatBytes(files[lccIndex], n)
}

// repeatBytes returns a content n times, but not more than about maxSize bytes.
func repeatBytes(b []byte, n int) []byte {
	const maxSize = 1 << 20
	return bytes.Repeat(b, min(n, maxSize/max(len(b), 1)+1))
}

// changeUnits changes the index of an LCC capture. Repeated or overlapping units request
// more work than there is data.
//
// A unit of the index:
//
//	0    the position of the cell, 4 bytes
//	4    for each level: 4 bytes of a count, 8 of an offset, 4 of a size
func (m *mutator) changeUnits(b []byte) []byte {
	length := 4 + 16
	if m.IntN(2) == 0 {
		length = 4 + 3*16 // the captures have one level or three
	}
	if len(b) < length {
		return b
	}
	switch m.IntN(3) {
	case 0:
		n := 2 << m.IntN(10)
		m.note("all units %d times", n)
		return repeatBytes(b, n)
	case 1:
		m.note("all units like the first")
		return bytes.Repeat(b[:length], len(b)/length)
	default:
		m.note("all units start at 0")
		for at := 8; at+8 <= len(b); at += length {
			clear(b[at : at+8])
		}
		return b
	}
}
