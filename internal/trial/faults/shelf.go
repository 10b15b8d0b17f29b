package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// shelf is where a store keeps objects, read round Portico.
type shelf interface {
	// sizes returns the sizes of all objects by their keys, in bytes.
	sizes(ctx context.Context) (map[string]int64, error)
	// read returns an object.
	read(ctx context.Context, key string) ([]byte, error)
	// halves names what is half written and of nobody any more.
	halves(ctx context.Context) ([]string, error)
}

// diskShelf is the folder of a store on the disk.
type diskShelf struct{ folder string }

// sizes walks the folder. Objects may come and go meanwhile.
func (d diskShelf) sizes(context.Context) (map[string]int64, error) {
	sizes := map[string]int64{}
	root := filepath.Join(d.folder, "objects")
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return ignoreMissing(err)
		}
		info, err := entry.Info()
		if err != nil {
			return ignoreMissing(err)
		}
		key, err := filepath.Rel(root, path)
		sizes[filepath.ToSlash(key)] = info.Size()
		return err
	})
	return sizes, err
}

// ignoreMissing is for what is deleted while it is looked at.
func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// read reads an object, whose path below the folder is its key.
func (d diskShelf) read(_ context.Context, key string) ([]byte, error) {
	return os.ReadFile(filepath.Join(d.folder, "objects", filepath.FromSlash(key)))
}

// halves names what is on its way in, or was when its process was killed.
func (d diskShelf) halves(context.Context) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(d.folder, "incoming"))
	names := make([]string, len(entries))
	for i, entry := range entries {
		names[i] = entry.Name()
	}
	return names, ignoreMissing(err) // no folder before the first file
}

// bucketShelf is a bucket, reached without what fails in front of it.
type bucketShelf struct {
	client *s3.Client
	bucket string
}

// sizes lists the bucket, page by page.
func (b bucketShelf) sizes(ctx context.Context) (map[string]int64, error) {
	sizes := map[string]int64{}
	pages := s3.NewListObjectsV2Paginator(b.client, &s3.ListObjectsV2Input{Bucket: &b.bucket})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, err
		}
		for _, object := range page.Contents {
			sizes[aws.ToString(object.Key)] = aws.ToInt64(object.Size)
		}
	}
	return sizes, nil
}

// read reads an object at once: those of the faults are small.
func (b bucketShelf) read(ctx context.Context, key string) ([]byte, error) {
	object, err := b.client.GetObject(ctx, &s3.GetObjectInput{Bucket: &b.bucket, Key: &key})
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(object.Body)
	return content, errors.Join(err, object.Body.Close())
}

// halves names nothing: a bucket shows an object whole or not at all, and ends
// unfinished parts by a rule of its own.
func (bucketShelf) halves(context.Context) ([]string, error) { return nil, nil }
