package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"portico/splat/splattest"
)

// spzCaptures returns SPZ files of the versions 1 to 4, and of version 2 without its
// compression, as old tools wrote it.
func spzCaptures(cloud []splattest.LCCSplat) []capture {
	var all []capture
	for version := uint32(1); version <= 4; version++ {
		all = append(all, singleFile(fmt.Sprintf("version%d.spz", version), true, spzFile(version, cloud)))
	}
	r, err := gzip.NewReader(bytes.NewReader(all[1].files[all[1].primary]))
	if err != nil {
		panic(err) // just compressed
	}
	raw, err := io.ReadAll(r)
	if err != nil {
		panic(err) // just compressed
	}
	return append(all, singleFile("uncompressed.spz", true, raw), singleFile("z-up.spz", true, withAxes(spzFile(4, cloud))))
}

// withAxes adds the extension that names the axes right, front, up to a file of version 4.
func withAxes(content []byte) []byte {
	const header, flags, table = 32, 14, 16
	extension := []byte{3, 0, 0xbe, 0xad, 4, 0, 0, 0, 12, 0, 0, 0}
	out := append(bytes.Clone(content[:header]), extension...)
	out[flags] |= 2
	out[table] = header + byte(len(extension))
	return append(out, content[header:]...)
}

// spzFile returns a file in the format of github.com/nianticlabs/spz. It has the right
// sizes, but only approximate values, which do not matter here.
//
// The header has 16 bytes, and in version 4 another 16 before the table of streams:
//
//	0     "NGSP"
//	4     the version
//	8     the number of Gaussians
//	12    the degree of the harmonics
//	13    the number of fraction bits of a position
//	14    flags, which are zero
//	15    reserved, or in version 4 the number of streams
//	16    in version 4, the offset of the table, 32
//	20    in version 4, 12 bytes, zero
func spzFile(version uint32, cloud []splattest.LCCSplat) []byte {
	const degree, coefficients, fraction = 3, 15, 12
	var positions, opacities, colours, scales, rotations, harmonics []byte
	for _, s := range cloud {
		for k := range 3 {
			fixed := uint32(int32(s.Position[k] * (1 << fraction)))
			if version == 1 { // 16-bit floats, here from 1 to 2
				positions = append(positions, byte(fixed), 0x3c|byte(fixed>>8)&3)
			} else {
				positions = append(positions, byte(fixed), byte(fixed>>8), byte(fixed>>16))
			}
			scales = append(scales, byte(16*(math.Log(s.Scale[k])+10)))
		}
		opacities = append(opacities, s.Opacity)
		colours = append(colours, s.Colour[:]...)
		if version < 3 {
			rotations = append(rotations, 128, 128, byte(127*s.Rotation[2]+128))
		} else {
			rotations = binary.LittleEndian.AppendUint32(rotations, packRotation(s.Rotation, 511.5))
		}
		for k := range 3 * coefficients {
			harmonics = append(harmonics, byte(max(0, min(128+128*s.Harmonics[k], 255))))
		}
	}
	// The last byte of the header is reserved, and the number of streams in version 4.
	header := binary.LittleEndian.AppendUint32([]byte("NGSP"), version)
	header = binary.LittleEndian.AppendUint32(header, uint32(len(cloud)))
	header = append(header, degree, fraction, 0)
	streams := [][]byte{positions, opacities, colours, scales, rotations, harmonics}
	if version >= 4 {
		return spzVersion4(header, streams)
	}
	return gzipOf(append(append(header, 0), bytes.Join(streams, nil)...))
}

// spzVersion4 returns a file of version 4: a table of the streams' compressed and
// uncompressed sizes, then the streams.
//
// A row of the table:
//
//	0    the compressed size, 8 bytes
//	8    the uncompressed size, 8 bytes
func spzVersion4(header []byte, streams [][]byte) []byte {
	const tableAt = 32
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false))
	if err != nil {
		panic(err) // the options are constants
	}
	out := slices.Concat(header, []byte{byte(len(streams))})
	out = append(binary.LittleEndian.AppendUint32(out, tableAt), make([]byte, 12)...)
	var data []byte
	for _, stream := range streams {
		before := len(data)
		data = encoder.EncodeAll(stream, data)
		out = binary.LittleEndian.AppendUint64(out, uint64(len(data)-before))
		out = binary.LittleEndian.AppendUint64(out, uint64(len(stream)))
	}
	return append(out, data...)
}

// gzipOf returns the content compressed by gzip.
func gzipOf(content []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	// Writes to a bytes.Buffer do not fail.
	_, _ = w.Write(content)
	_ = w.Close()
	return out.Bytes()
}
