package storage

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// BenchmarkUpload measures one presigned PUT of 256 MiB over a local
// connection, synced to the disk. Its B/op is the memory bound of an upload.
func BenchmarkUpload(b *testing.B) {
	const size = 256 << 20
	s := newTestServer(b, nil)
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		u := Upload{Key: "1/big.bin", ContentType: "a/b", Size: size, Expires: s.now.Add(time.Hour)}
		p, err := s.PresignPut(b.Context(), u)
		if err != nil {
			b.Fatal(err)
		}
		r, err := http.NewRequestWithContext(b.Context(), p.Method, p.URL, io.LimitReader(zeros{}, size))
		if err != nil {
			b.Fatal(err)
		}
		r.Header.Set("Content-Type", "a/b")
		res, err := http.DefaultClient.Do(r)
		if err != nil || res.StatusCode != http.StatusOK {
			b.Fatalf("PUT: got %v, %v, want 200", res, err)
		}
		_ = res.Body.Close()
		if err := s.Delete(b.Context(), "1/big.bin"); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkPutSmall measures the many small tiles of an archive, each synced.
func BenchmarkPutSmall(b *testing.B) {
	s := newTestServer(b, nil)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Put(b.Context(), "1/api_uploads/room/data/0.sog", strings.NewReader("tile")); err != nil {
			b.Fatal(err)
		}
	}
}
