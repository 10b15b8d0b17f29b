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

// objectStore is the storage below Portico, which is read without Portico.
//
// An audit compares it with the database, so it must see what is really there, without the caches
// and the retries of package storage.
type objectStore interface {
	// sizes returns the sizes of all objects by their keys, in bytes.
	sizes(ctx context.Context) (map[string]int64, error)
	// read returns an object.
	read(ctx context.Context, key string) ([]byte, error)
	// incomplete returns the names of writes that nobody will complete.
	incomplete(ctx context.Context) ([]string, error)
}

// diskStore is the folder of a store on the disk.
type diskStore struct{ folder string }

// sizes walks the folder. Objects may be created and deleted during the walk.
func (d diskStore) sizes(context.Context) (map[string]int64, error) {
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

// ignoreMissing drops the error for files that are deleted while they are listed.
func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// read reads an object, whose path below the folder is its key.
func (d diskStore) read(_ context.Context, key string) ([]byte, error) {
	return os.ReadFile(filepath.Join(d.folder, "objects", filepath.FromSlash(key)))
}

// incomplete returns the names of uploads that have not ended.
func (d diskStore) incomplete(context.Context) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(d.folder, "incoming"))
	names := make([]string, len(entries))
	for i, entry := range entries {
		names[i] = entry.Name()
	}
	return names, ignoreMissing(err) // no folder before the first file
}

// bucketStore is a bucket, reached without the proxy that fails.
type bucketStore struct {
	client *s3.Client
	bucket string
}

// sizes lists the bucket, page by page.
func (b bucketStore) sizes(ctx context.Context) (map[string]int64, error) {
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

// read reads an object into memory, because the objects of this command are small.
func (b bucketStore) read(ctx context.Context, key string) ([]byte, error) {
	object, err := b.client.GetObject(ctx, &s3.GetObjectInput{Bucket: &b.bucket, Key: &key})
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(object.Body)
	return content, errors.Join(err, object.Body.Close())
}

// incomplete returns nothing: a bucket shows complete objects only, and ends
// unfinished parts by a rule of its own.
func (bucketStore) incomplete(context.Context) ([]string, error) { return nil, nil }
