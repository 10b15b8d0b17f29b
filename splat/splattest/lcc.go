package splattest

import (
	"encoding/binary"
	"math"
)

// LCC returns a zip of a valid LCC v1 capture with one grid cell, one level and one splat, in the
// given folder; "" means the top of the zip.
func LCC(folder string) []byte {
	if folder != "" {
		folder += "/"
	}
	return Zip(
		Entry{Name: folder + "meta.lcc", Body: []byte(lccManifest)},
		Entry{Name: folder + "index.bin", Body: lccIndex()},
		Entry{Name: folder + "data.bin", Body: lccSplat()},
		Entry{Name: folder + "collision.lci", Body: []byte("coll")},
		Entry{Name: folder + "preview.jpg", Body: []byte("not part of the format")},
	)
}

// lccManifest is the manifest of LCC: one level with one splat in one cell.
const lccManifest = `{"version":"5.0","totalSplats":1,"totalLevel":1,"splats":[1],
"cellLengthX":30,"cellLengthY":30,"indexDataSize":20,"encoding":"COMPRESS","fileType":"Portable",
"boundingBox":{"min":[0,0,0],"max":[1,1,1]},
"attributes":[{"name":"position","min":[0,0,0],"max":[1,1,1]},
{"name":"color","min":[0,0,0],"max":[1,1,1]},{"name":"opacity","min":[0],"max":[1]},
{"name":"scale","min":[0.001,0.001,0.001],"max":[1,1,1]}]}`

// lccIndex returns an index with the cell (0, 0), whose only level starts at offset 0 in
// data.bin.
func lccIndex() []byte {
	le := binary.LittleEndian
	b := le.AppendUint32(nil, 0)  // x and y
	b = le.AppendUint32(b, 1)     // splats
	b = le.AppendUint64(b, 0)     // offset
	return le.AppendUint32(b, 32) // size
}

// lccSplat returns one grey splat in the middle, without rotation.
func lccSplat() []byte {
	le := binary.LittleEndian
	var b []byte
	for range 3 {
		b = le.AppendUint32(b, math.Float32bits(0.5))
	}
	b = append(b, 128, 128, 128, 255)
	for range 3 {
		b = le.AppendUint16(b, 1000)
	}
	const middle = 512 // of 1023: encodes zero
	b = le.AppendUint32(b, 3<<30|middle<<20|middle<<10|middle)
	return append(b, make([]byte, 6)...)
}
