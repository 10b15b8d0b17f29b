package sog_test

import (
	"archive/zip"
	"context"
	"errors"
	"maps"
	"testing"

	"portico/splat/folder"
	"portico/splat/gaussian"
	"portico/splat/input"
	"portico/splat/sog"
)

// FuzzOpen reads any bytes as a bundle, as a manifest or an index beside good images, and
// as one of these images. The reader must return Gaussians or an *input.Error, without
// using much memory.
func FuzzOpen(f *testing.F) {
	chunk := smallFolder(f)
	index := []byte(`{"version":1,"count":100,"counts":[100],"lodLevels":1,"environment":"meta.json","filenames":["meta.json"],` +
		`"tree":{"bound":{"min":[0,0,0],"max":[1,1,1]},"children":[{"lods":{"0":{"file":0,"offset":0,"count":100}}}]}}`)
	f.Add(byte(0), zipFiles(f, chunk, zip.Store, ""))
	f.Add(byte(0), zipFiles(f, chunk, zip.Deflate, "comment"))
	f.Add(byte(1), chunk["meta.json"])
	old := maps.Clone(chunk)
	version1(f, old)
	f.Add(byte(1), old["meta.json"])
	f.Add(byte(2), index)
	f.Add(byte(2), []byte(`{"environment":null,"filenames":["meta.json"],"tree":{"bound":{"min":[null,null,null]},"lods":{"0":{"file":0,"offset":0,"count":100}}}}`))
	f.Add(byte(3), chunk["means_l.webp"])
	f.Add(byte(4), chunk["shN_centroids.webp"])
	f.Fuzz(func(t *testing.T, kind byte, data []byte) {
		limits := sog.Limits{Gaussians: 1 << 16, Pixels: 1 << 20, Files: 10, ManifestBytes: 1 << 20, IndexBytes: 1 << 20}
		files := folder.Memory{"lod-meta.json": index}
		for name, content := range chunk {
			files[name] = content
		}
		var reader *sog.Reader
		var err error
		if kind %= 5; kind == 0 {
			reader, err = limits.OpenBundle(t.Context(), bundleFile(t, data), "scene.sog")
		} else {
			name := []string{"meta.json", "lod-meta.json", "means_l.webp", "shN_centroids.webp"}[kind-1]
			files[name] = data
			reader, err = limits.Open(t.Context(), files, "lod-meta.json")
		}
		if err == nil {
			err = drain(t.Context(), reader)
		}
		var fault *input.Error
		if err != nil && !errors.As(err, &fault) {
			t.Errorf("error: got %v, want an input error", err)
		}
	})
}

// drain reads the whole capture.
func drain(ctx context.Context, reader *sog.Reader) error {
	var c gaussian.Cloud
	for level, count := range reader.Levels() {
		if err := reader.Positions(ctx, level, make([]float32, 3*count), nil); err != nil {
			return err
		}
		numbers := make([]uint32, count)
		for i := range numbers {
			numbers[i] = uint32(i)
		}
		if err := reader.Read(ctx, level, numbers, &c); err != nil {
			return err
		}
	}
	_, err := reader.Check(ctx)
	return errors.Join(err, reader.Environment(ctx, &c), reader.Close())
}
