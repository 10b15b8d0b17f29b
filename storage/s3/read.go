package s3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"portico/storage"
)

// Stat implements storage.Store.
func (s *Store) Stat(ctx context.Context, key string) (storage.Object, error) {
	name, err := s.objectKey(key)
	if err != nil {
		return storage.Object{}, err
	}
	head, err := s.head(ctx, name)
	if err != nil {
		return storage.Object{}, fmt.Errorf("stat %s: %w", key, err)
	}
	return objectOf(key, head.ContentLength, head.ETag, head.LastModified), nil
}

// head returns the headers of an object. The response has no body, so a missing bucket looks
// like a missing object: a second request distinguishes them.
func (s *Store) head(ctx context.Context, name *string) (*s3.HeadObjectOutput, error) {
	found, err := s.client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &s.bucket, Key: name})
	err = storeError(ctx, err)
	if !errors.Is(err, storage.ErrNotFound) {
		return found, err
	}
	_, missing := s.client.HeadBucket(ctx, &s3.HeadBucketInput{Bucket: &s.bucket})
	if missing = storeError(ctx, missing); errors.Is(missing, storage.ErrNotFound) {
		return nil, fmt.Errorf("%w: no bucket %s", storage.ErrUnavailable, s.bucket)
	}
	return nil, err
}

// objectOf describes an object. It takes the content type from the key, because listings
// have none.
func objectOf(key string, size *int64, etag *string, modified *time.Time) storage.Object {
	return storage.Object{
		Key: key, Size: aws.ToInt64(size), ContentType: storage.MediaType(key),
		ETag: aws.ToString(etag), ModifiedAt: aws.ToTime(modified).UTC(),
	}
}

// Open implements storage.Store. If the object is replaced while it is read, the reader returns an
// error, not a mixture.
func (s *Store) Open(ctx context.Context, key string) (io.ReadCloser, error) {
	name, err := s.objectKey(key)
	if err != nil {
		return nil, err
	}
	object, err := s.get(ctx, &s3.GetObjectInput{Bucket: &s.bucket, Key: name})
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", key, storeError(ctx, err))
	}
	object.Body = &resumingReader{ctx: ctx, body: object.Body, left: aws.ToInt64(object.ContentLength), reopen: s.rangeReader(key, aws.ToString(object.ETag))}
	return struct {
		io.Reader
		io.Closer
	}{storage.NewSource(ctx, object.Body), object.Body}, nil
}

// get requests an object or a part of it. The body fails when the server stalls.
func (s *Store) get(ctx context.Context, in *s3.GetObjectInput) (*s3.GetObjectOutput, error) {
	ctx, cancel := context.WithCancel(ctx)
	object, err := s.client.GetObject(ctx, in)
	if err != nil {
		cancel()
		return nil, err
	}
	object.Body = &stallReader{object.Body, s.stallTimeout, cancel}
	return object, nil
}

// rangeReader returns a function that reads n bytes of the object from an offset. It fails once the
// object was replaced.
func (s *Store) rangeReader(key, etag string) func(ctx context.Context, offset, n int64) (io.ReadCloser, error) {
	return func(ctx context.Context, offset, n int64) (io.ReadCloser, error) {
		ranged := fmt.Sprintf("bytes=%d-%d", offset, offset+n-1)
		object, err := s.get(ctx, &s3.GetObjectInput{
			Bucket: &s.bucket, Key: aws.String(s.prefix + key), Range: &ranged, IfMatch: &etag,
		})
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", key, storeError(ctx, err))
		}
		return object.Body, nil
	}
}

// List implements storage.Store. It requests pages of 1,000 objects.
func (s *Store) List(ctx context.Context, prefix string) iter.Seq2[storage.Object, error] {
	return func(yield func(storage.Object, error) bool) {
		folder, err := storage.CheckPrefix(prefix)
		if err != nil {
			yield(storage.Object{}, err)
			return
		}
		if folder != "" {
			folder += "/"
		}
		pages := s3.NewListObjectsV2Paginator(s.client, &s3.ListObjectsV2Input{Bucket: &s.bucket, Prefix: aws.String(s.prefix + folder)})
		for pages.HasMorePages() {
			page, err := pages.NextPage(ctx)
			if err != nil {
				yield(storage.Object{}, fmt.Errorf("list %q: %w", prefix, storeError(ctx, err)))
				return
			}
			if !s.yieldPage(page, yield) {
				return
			}
		}
	}
}

// yieldPage yields the objects of a page and reports whether the caller wants more. It
// skips objects without a valid key of ours: others may use the bucket too.
func (s *Store) yieldPage(page *s3.ListObjectsV2Output, yield func(storage.Object, error) bool) bool {
	for _, o := range page.Contents {
		key, ours := strings.CutPrefix(aws.ToString(o.Key), s.prefix)
		if !ours || storage.CheckKey(key) != nil || key == pingName || strings.HasPrefix(key, tailFolder) {
			continue
		}
		if !yield(objectOf(key, o.Size, o.ETag, o.LastModified), nil) {
			return false
		}
	}
	return true
}
