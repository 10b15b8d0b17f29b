package spz_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"portico/splat/folder"
	"portico/splat/gaussian"
	"portico/splat/input"
	"portico/splat/spz"
)

// document is a test file in the making. The fields that are zero are set from the
// Gaussians; the others are lies.
type document struct {
	version    uint32
	splats     uint32
	degree     byte
	fraction   byte
	flags      byte
	extensions []byte
	// tree is what Spark writes behind the Gaussians.
	tree []byte
	// streams are positions, opacities, colours, scales, rotations, harmonics.
	streams [6][]byte
}

// fractionBits is what the reference library writes.
const fractionBits = 12

// newDocument packs a cloud as the reference library does: with y up and z flipped.
func newDocument(version uint32, c *gaussian.Cloud) *document {
	d := &document{version: version, splats: uint32(c.Len()), degree: byte(c.Degree), fraction: fractionBits}
	for i := range c.Len() {
		for k, sign := range []float32{1, -1, -1} {
			d.addPosition(sign * c.Positions[3*i+k])
			d.streams[2] = append(d.streams[2], toByte(255*(0.15*c.Colours[3*i+k]+0.5)))
			d.streams[3] = append(d.streams[3], toByte(16*(c.Scales[3*i+k]+10)))
		}
		d.streams[1] = append(d.streams[1], toByte(255*c.Opacities[i]))
		q := [4]float32(c.Rotations[4*i:])
		d.addRotation([4]float32{q[0], -q[1], -q[2], q[3]})
		d.addHarmonics(c, i)
	}
	return d
}

func toByte(v float32) byte { return byte(max(0, min(math.Round(float64(v)), 255))) }

func (d *document) addPosition(v float32) {
	if d.version == 1 {
		d.streams[0] = binary.LittleEndian.AppendUint16(d.streams[0], toHalf(v))
		return
	}
	fixed := uint32(int32(math.Round(float64(v) * (1 << fractionBits))))
	d.streams[0] = append(d.streams[0], byte(fixed), byte(fixed>>8), byte(fixed>>16))
}

// toHalf cuts a number to 16 bits; values that are too small become zero.
func toHalf(v float32) uint16 {
	bits := math.Float32bits(v)
	exponent := int(bits>>23&255) - 127 + 15
	switch sign := uint16(bits >> 16 & 0x8000); {
	case exponent >= 31:
		return sign | 31<<10 | uint16(bits>>13&1023)
	case exponent <= 0:
		return sign
	default:
		return sign | uint16(exponent)<<10 | uint16(bits>>13&1023)
	}
}

func (d *document) addRotation(q [4]float32) {
	if d.version < 3 {
		for _, v := range q[:3] {
			if q[3] < 0 {
				v = -v
			}
			d.streams[4] = append(d.streams[4], toByte(127.5*v+127.5))
		}
		return
	}
	largest := 0
	for k, v := range q {
		if math.Abs(float64(v)) > math.Abs(float64(q[largest])) {
			largest = k
		}
	}
	packed := uint32(largest)
	for k, v := range q {
		if k == largest {
			continue
		}
		packed <<= 10
		if (v < 0) != (q[largest] < 0) {
			packed |= 512
		}
		packed |= uint32(math.Round(511 * math.Sqrt2 * math.Abs(float64(v))))
	}
	d.streams[4] = binary.LittleEndian.AppendUint32(d.streams[4], packed)
}

// signs turn the harmonics of the degrees 1 to 4 from y down and z to the front to y
// up and z to the back, as the table of the reference library does.
var signs = []float32{
	-1, -1, 1,
	-1, 1, 1, -1, 1,
	-1, 1, -1, -1, 1, -1, 1,
	-1, 1, -1, 1, 1, -1, 1, -1, -1,
}

func (d *document) addHarmonics(c *gaussian.Cloud, i int) {
	n := gaussian.Coefficients(c.Degree)
	for k := range n {
		for channel := range 3 {
			v := signs[k] * c.Harmonics[(3*i+channel)*n+k]
			d.streams[5] = append(d.streams[5], toByte(128*v+128))
		}
	}
}

// header returns the 16 bytes that all versions share.
func (d *document) header(last byte) []byte {
	b := binary.LittleEndian.AppendUint32([]byte("NGSP"), d.version)
	b = binary.LittleEndian.AppendUint32(b, d.splats)
	return append(b, d.degree, d.fraction, d.flags, last)
}

// bytes writes the file.
func (d *document) bytes() []byte {
	if d.version >= 4 {
		return d.modern(nil)
	}
	raw := d.header(0)
	for _, s := range d.streams {
		raw = append(raw, s...)
	}
	return zip(append(append(raw, d.tree...), d.extensions...))
}

// modern writes version 4. lie, if there is one, changes the table: pairs of sizes.
func (d *document) modern(lie func(sizes []uint64)) []byte {
	var sizes []uint64
	var data []byte
	for _, s := range d.streams {
		if len(s) > 0 {
			packed := squeeze(s)
			sizes = append(sizes, uint64(len(packed)), uint64(len(s)))
			data = append(data, packed...)
		}
	}
	b := d.header(byte(len(sizes) / 2))
	b = binary.LittleEndian.AppendUint32(b, uint32(32+len(d.extensions)))
	b = append(append(b, make([]byte, 12)...), d.extensions...)
	if lie != nil {
		lie(sizes)
	}
	for _, size := range sizes {
		b = binary.LittleEndian.AppendUint64(b, size)
	}
	return append(b, data...)
}

// zip compresses with gzip.
func zip(b []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(b); err != nil {
		panic(err) // memory
	}
	if err := w.Close(); err != nil {
		panic(err) // memory
	}
	return out.Bytes()
}

// squeeze compresses with Zstandard.
func squeeze(b []byte) []byte {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		panic(err) // of the options
	}
	defer w.Close()
	return w.EncodeAll(b, nil)
}

func extension(kind uint32, payload ...byte) []byte {
	b := binary.LittleEndian.AppendUint32(nil, kind)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(payload)))
	return append(b, payload...)
}

// randomCloud makes n Gaussians within what SPZ can hold.
func randomCloud(n, degree int) *gaussian.Cloud {
	r := rand.New(rand.NewPCG(2, uint64(n)))
	c := &gaussian.Cloud{}
	c.Resize(n, degree)
	set := func(values []float32, from, to float64) {
		for i := range values {
			values[i] = float32(from + (to-from)*r.Float64())
		}
	}
	set(c.Positions, -100, 100)
	set(c.Rotations, -1, 1)
	set(c.Scales, -10, 5)
	set(c.Colours, -3, 3)
	set(c.Opacities, 0, 1)
	set(c.Harmonics, -0.99, 0.99)
	for i := range n {
		q := c.Rotations[4*i:][:4]
		scale := float32(1 / math.Sqrt(float64(q[0]*q[0]+q[1]*q[1]+q[2]*q[2]+q[3]*q[3])))
		for k := range q {
			q[k] *= scale
		}
	}
	return c
}

func memory(t testing.TB, b []byte) folder.File {
	t.Helper()
	f, err := folder.Memory{"a": b}.Open(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// open opens an SPZ file that must be good.
func open(t testing.TB, b []byte) *spz.File {
	t.Helper()
	f, err := spz.Open(t.Context(), memory(t, b), "scene.spz")
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	return f
}

// readAll opens an SPZ file and unpacks it.
func readAll(t testing.TB, b []byte) error {
	t.Helper()
	f, err := spz.Open(t.Context(), memory(t, b), "scene.spz")
	if err != nil {
		return err
	}
	_, err = f.Bounds(t.Context())
	return err
}

// all returns the numbers below n.
func all(n int) []uint32 {
	numbers := make([]uint32, n)
	for i := range numbers {
		numbers[i] = uint32(i)
	}
	return numbers
}

// wantInputError checks the fault that the user reads.
func wantInputError(t *testing.T, err error, reason string) {
	t.Helper()
	fault, ok := errors.AsType[*input.Error](err)
	if !ok {
		t.Fatalf("error: got %v, want an *input.Error with %q", err, reason)
	}
	if fault.File != "scene.spz" || !strings.Contains(fault.Message, reason) {
		t.Errorf("error: got %v, want entry %q and %q", fault, "scene.spz", reason)
	}
}
