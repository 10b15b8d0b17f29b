package sog_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"testing"

	"portico/splat/folder"
	"portico/splat/gaussian"
	"portico/splat/input"
	"portico/splat/sog"
)

// capture returns n Gaussians around a surface of 60 metres. Colours and opacities are
// bytes, as scanners write them. The colour of Gaussian i holds the bytes of i, which
// identify it in any order. Scales and harmonics have few distinct values, whose
// codebooks are built quickly; see withManyValues.
func capture(n, degree int, seed uint64) *gaussian.Cloud {
	r := rand.New(rand.NewPCG(seed, 1))
	c := &gaussian.Cloud{}
	c.Resize(n, degree)
	for i := range n {
		x, z := r.Float64()*60-30, r.Float64()*60-30
		c.Positions[3*i] = float32(x)
		c.Positions[3*i+1] = float32(2*math.Sin(x/5)*math.Cos(z/7) + r.NormFloat64()*0.05)
		c.Positions[3*i+2] = float32(z)
		length := 0.0
		var q [4]float64
		for k := range q {
			q[k] = r.NormFloat64()
			length += q[k] * q[k]
		}
		for k := range q {
			c.Rotations[4*i+k] = float32(q[k] / math.Sqrt(length))
		}
		for k := range 3 {
			c.Scales[3*i+k] = float32(math.Round((-4+r.NormFloat64()*0.8)*32) / 32)
			c.Colours[3*i+k] = colour(byte(i >> (8 * k)))
		}
		c.Opacities[i] = float32(r.IntN(256)) / 255
	}
	for i := range c.Harmonics {
		// A few materials, and noise.
		material := i / (3 * gaussian.Coefficients(degree)) % 7
		c.Harmonics[i] = float32(math.Round((math.Sin(float64(material*31+i%45))*0.2+r.NormFloat64()*0.02)*256) / 256)
	}
	return c
}

// withManyValues makes all scales and harmonics distinct, as in trained captures.
func withManyValues(c *gaussian.Cloud) *gaussian.Cloud {
	r := rand.New(rand.NewPCG(uint64(c.Len()), 2))
	for _, values := range [][]float32{c.Scales, c.Harmonics} {
		for i := range values {
			values[i] += float32(r.Float64()-0.5) / 64
		}
	}
	return c
}

func colour(b byte) float32 { return float32((float64(b)/255 - 0.5) / gaussian.C0) }

// originalIndex returns the index that capture encoded in a Gaussian's colour.
func originalIndex(c *gaussian.Cloud, i int) int {
	n := 0
	for k := range 3 {
		n |= int(math.Round((0.5+gaussian.C0*float64(c.Colours[3*i+k]))*255)) << (8 * k)
	}
	return n
}

func readAll(t *testing.T, source gaussian.Source, level int) *gaussian.Cloud {
	t.Helper()
	indices := make([]uint32, source.Levels()[level])
	for i := range indices {
		indices[i] = uint32(i)
	}
	c := &gaussian.Cloud{}
	if err := source.Read(t.Context(), level, indices, c); err != nil {
		t.Fatalf("read level %d: %v", level, err)
	}
	return c
}

// recordingFolder is a folder in memory that records the order of its files.
type recordingFolder struct {
	folder.Memory

	names []string
}

func newRecordingFolder() *recordingFolder { return &recordingFolder{Memory: folder.Memory{}} }

// Put implements folder.Writer.
func (m *recordingFolder) Put(ctx context.Context, name string, size int64, r io.Reader) error {
	m.names = append(m.names, name)
	return m.Memory.Put(ctx, name, size, r)
}

// form is one of the ways to write a capture.
type form struct {
	name  string
	write func(t *testing.T, source gaussian.Source, o sog.Options) (*sog.Reader, sog.Result)
}

// forms returns all forms; the streamed one has chunks of 1000 Gaussians.
func forms() []form {
	return []form{
		{"bundle", writeBundle},
		{"folder", func(t *testing.T, source gaussian.Source, o sog.Options) (*sog.Reader, sog.Result) {
			t.Helper()
			written := newRecordingFolder()
			result, err := sog.WriteFolder(t.Context(), source, written, o)
			if err != nil {
				t.Fatalf("write: %v", err)
			}
			return open(t, written.Memory, "meta.json"), result
		}},
		{"streamed", func(t *testing.T, source gaussian.Source, o sog.Options) (*sog.Reader, sog.Result) {
			t.Helper()
			written := newRecordingFolder()
			result, err := sog.WriteDivided(t.Context(), source, written, o, 1000, 300)
			if err != nil {
				t.Fatalf("write: %v", err)
			}
			return open(t, written.Memory, "lod-meta.json"), result
		}},
	}
}

func writeBundle(t *testing.T, source gaussian.Source, o sog.Options) (*sog.Reader, sog.Result) {
	t.Helper()
	var out bytes.Buffer
	result, err := sog.WriteBundle(t.Context(), source, &out, o)
	if err != nil {
		t.Fatalf("write: %v", err)
	}
	return openBundle(t, out.Bytes()), result
}

func open(t *testing.T, files folder.Reader, name string) *sog.Reader {
	t.Helper()
	r, err := sog.Open(t.Context(), files, name)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() { _ = r.Close() }) // read only
	return r
}

func openBundle(t *testing.T, data []byte) *sog.Reader {
	t.Helper()
	r, err := sog.OpenBundle(t.Context(), bundleFile(t, data), "scene.sog")
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() { _ = r.Close() }) // read only
	return r
}

func bundleFile(t testing.TB, data []byte) folder.File {
	t.Helper()
	file, err := folder.Memory{"scene.sog": data}.Open(context.Background(), "scene.sog")
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// wantInputError fails the test unless err is an *input.Error that contains reason, and, if it is
// about a file, says what the user can do.
func wantInputError(t *testing.T, err error, reason string) {
	t.Helper()
	var fault *input.Error
	if !errors.As(err, &fault) || !bytes.Contains([]byte(err.Error()), []byte(reason)) {
		t.Errorf("error: got %v, want an input error with %q", err, reason)
		return
	}
	if fault.File != "" && fault.Advice == "" {
		t.Errorf("error: got %v, want it with advice", err)
	}
}
