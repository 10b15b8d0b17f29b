package s3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/s3/transfermanager"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"portico/storage"
)

// Put implements storage.Store. An object that fits into one part is sent in one request, a larger
// one as a multipart upload. After an error of a large object the transfer manager aborts its
// multipart upload.
func (s *Store) Put(ctx context.Context, key string, r io.Reader) (int64, error) {
	name, err := s.objectKey(key)
	if err != nil {
		return 0, err
	}
	counted := &countingReader{Reader: storage.NewSource(ctx, r)}
	// The transfer manager buffers a few parts, never all of r.
	in := &transfermanager.UploadObjectInput{
		Bucket: &s.bucket, Key: name, Body: counted, ContentType: s.servedType(key),
	}
	if _, err := s.transfer.UploadObject(ctx, in); err != nil {
		return 0, fmt.Errorf("put %s: %w", key, putError(ctx, counted, err))
	}
	return counted.size, nil
}

// putError returns the error of the source if there is one, or else the error of the
// server; the SDK wraps both alike. The end of ctx is an error of the source.
func putError(ctx context.Context, from *countingReader, err error) error {
	if from.err != nil {
		return from.err
	}
	return storeError(ctx, err)
}

// countingReader counts the bytes that are read, and keeps the error that ended the
// reading.
type countingReader struct {
	io.Reader
	size int64
	err  error
}

// Read implements io.Reader.
func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.size += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		c.err = err
	}
	return n, err
}

// Delete implements storage.Store. S3 returns no error for a missing object; errors of servers that
// do are ignored.
func (s *Store) Delete(ctx context.Context, key string) error {
	name, err := s.objectKey(key)
	if err != nil {
		return err
	}
	if err := s.abort(ctx, key, name); err != nil {
		return fmt.Errorf("delete the pieces of %s: %w", key, err)
	}
	_, err = s.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &s.bucket, Key: name})
	if err := storeError(ctx, err); err != nil && !errors.Is(err, storage.ErrNotFound) {
		return fmt.Errorf("delete %s: %w", key, err)
	}
	return nil
}

// DeletePrefix implements storage.Store. It deletes a thousand objects at a time, the maximum of
// DeleteObjects. After an error some may be left, and the caller calls it again.
func (s *Store) DeletePrefix(ctx context.Context, prefix string) error {
	folder := strings.TrimSuffix(prefix, "/")
	if err := storage.CheckKey(folder); err != nil { // also of the empty prefix, which is everything
		return err
	}
	const maxKeys = 1000
	var batch []types.ObjectIdentifier
	for object, err := range s.List(ctx, folder) {
		if err != nil {
			return err
		}
		batch = append(batch, types.ObjectIdentifier{Key: aws.String(s.prefix + object.Key)})
		if len(batch) == maxKeys {
			if err := s.deleteAll(ctx, folder, batch); err != nil {
				return err
			}
			batch = batch[:0]
		}
	}
	return s.deleteAll(ctx, folder, batch)
}

// deleteAll deletes a batch and returns the first error of an object. With Quiet the response
// lists only errors.
func (s *Store) deleteAll(ctx context.Context, folder string, batch []types.ObjectIdentifier) error {
	if len(batch) == 0 {
		return nil
	}
	out, err := s.client.DeleteObjects(ctx, &s3.DeleteObjectsInput{
		Bucket: &s.bucket, Delete: &types.Delete{Objects: batch, Quiet: aws.Bool(true)},
	})
	if err != nil {
		return fmt.Errorf("delete %s: %w", folder, storeError(ctx, err))
	}
	if len(out.Errors) > 0 {
		failed := out.Errors[0]
		return fmt.Errorf("%w: delete %s of %s: %s: %s", storage.ErrUnavailable, aws.ToString(failed.Key), folder, aws.ToString(failed.Code), aws.ToString(failed.Message))
	}
	return nil
}
