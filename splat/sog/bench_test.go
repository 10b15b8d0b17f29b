package sog_test

import (
	"context"
	"io"
	"testing"

	"portico/splat/gaussian"
	"portico/splat/sog"
)

// discard is a folder.Writer that counts bytes.
type discard struct{ bytes int64 }

// Put implements folder.Writer.
func (d *discard) Put(_ context.Context, _ string, size int64, r io.Reader) error {
	d.bytes += size
	_, err := io.Copy(io.Discard, r)
	return err
}

// BenchmarkWriteStreamed reports the time and the bytes for each Gaussian. It runs on one
// worker, so that it measures processor time.
func BenchmarkWriteStreamed(b *testing.B) {
	for _, test := range []struct {
		name      string
		n, degree int
	}{{"without harmonics", 1 << 20, 0}, {"degree 3", 1 << 16, 3}} {
		b.Run(test.name, func(b *testing.B) {
			source := gaussian.NewMemorySource(capture(1000, test.degree, 3),
				withManyValues(capture(test.n, test.degree, 1)), withManyValues(capture(test.n/2, test.degree, 2)))
			to, splats := &discard{}, 0
			for b.Loop() {
				result, err := sog.WriteStreamed(b.Context(), source, to, sog.Options{Workers: 1})
				if err != nil {
					b.Fatal(err)
				}
				splats += int(result.Levels[0] + result.Levels[1] + result.Environment)
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(splats), "us/splat")
			b.ReportMetric(float64(to.bytes)/float64(splats), "bytes/splat")
		})
	}
}

// BenchmarkRead reports the time to read a Gaussian of a bundle.
func BenchmarkRead(b *testing.B) {
	const n = 1 << 18
	written := newRecordingFolder()
	if _, err := sog.WriteFolder(b.Context(), gaussian.NewMemorySource(nil, withManyValues(capture(n, 0, 1))), written, sog.Options{}); err != nil {
		b.Fatal(err)
	}
	indices := make([]uint32, n)
	for i := range indices {
		indices[i] = uint32(i)
	}
	var c gaussian.Cloud
	for b.Loop() {
		reader, err := sog.Open(b.Context(), written.Memory, "meta.json")
		if err != nil {
			b.Fatal(err)
		}
		if err := reader.Read(b.Context(), 0, indices, &c); err != nil {
			b.Fatal(err)
		}
		_ = reader.Close() // nothing is open
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*n), "us/splat")
}
