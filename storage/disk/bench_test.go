package disk

import (
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/storage"
)

// BenchmarkUpload measures one presigned PUT of 256 MiB over a local
// connection, synced to the disk. Its B/op is the memory bound of an upload.
func BenchmarkUpload(b *testing.B) {
	const size = 256 << 20
	s := newTestServer(b, nil)
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		u := storage.Upload{Key: "1/big.bin", ContentType: "a/b", Size: size, Expires: s.now.Add(time.Hour)}
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

// BenchmarkPutMany measures the tiles of an archive, 32 at a time as a worker stores them:
// each with its folders, and in a batch that syncs each folder once.
func BenchmarkPutMany(b *testing.B) {
	const objects, atOnce = 2000, 32
	s := newTestServer(b, nil)
	run := func(b *testing.B, newBatch func() storage.Batch) {
		for b.Loop() {
			room := rand.Text()
			batch, slots := newBatch(), make(chan struct{}, atOnce)
			var all sync.WaitGroup
			for i := range objects {
				slots <- struct{}{}
				all.Go(func() {
					defer func() { <-slots }()
					if _, err := batch.Put(b.Context(), fmt.Sprintf("1/api_uploads/%s/data/3dgs/%d.sog", room, i), strings.NewReader("")); err != nil {
						b.Error(err)
					}
				})
			}
			all.Wait()
			if err := batch.Commit(); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*objects), "µs/object")
	}
	b.Run("alone", func(b *testing.B) {
		run(b, func() storage.Batch { return storage.NewBatch(struct{ storage.Store }{s}) })
	})
	b.Run("in a batch", func(b *testing.B) { run(b, s.Batch) })
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
