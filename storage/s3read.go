package storage

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
)

// Stat implements Store.
func (s *S3) Stat(ctx context.Context, key string) (Object, error) {
	name, err := s.objectKey(key)
	if err != nil {
		return Object{}, err
	}
	head, err := s.head(ctx, name)
	if err != nil {
		return Object{}, fmt.Errorf("stat %s: %w", key, err)
	}
	return s3Object(key, head.ContentLength, head.ETag, head.LastModified), nil
}

// head returns the headers of an object. The response has no body, so a missing bucket looks
// like a missing object: a second request distinguishes them.
func (s *S3) head(ctx context.Context, name *string) (*s3.HeadObjectOutput, error) {
	found, err := s.client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &s.bucket, Key: name})
	err = s3Error(ctx, err)
	if !errors.Is(err, ErrNotFound) {
		return found, err
	}
	_, missing := s.client.HeadBucket(ctx, &s3.HeadBucketInput{Bucket: &s.bucket})
	if missing = s3Error(ctx, missing); errors.Is(missing, ErrNotFound) {
		return nil, fmt.Errorf("%w: no bucket %s", ErrUnavailable, s.bucket)
	}
	return nil, err
}

// s3Object describes an object. It takes the content type from the key, because listings
// have none.
func s3Object(key string, size *int64, etag *string, modified *time.Time) Object {
	return Object{
		Key: key, Size: aws.ToInt64(size), ContentType: MediaType(key),
		ETag: aws.ToString(etag), ModifiedAt: aws.ToTime(modified).UTC(),
	}
}

// Open implements Store. If the object is replaced while it is read, the reader returns an
// error, not a mixture.
func (s *S3) Open(ctx context.Context, key string) (io.ReadCloser, error) {
	name, err := s.objectKey(key)
	if err != nil {
		return nil, err
	}
	object, err := s.get(ctx, &s3.GetObjectInput{Bucket: &s.bucket, Key: name})
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", key, s3Error(ctx, err))
	}
	object.Body = &resumingReader{ctx: ctx, body: object.Body, left: aws.ToInt64(object.ContentLength), reopen: s.rangeReader(key, aws.ToString(object.ETag))}
	return struct {
		io.Reader
		io.Closer
	}{&cancelableReader{ctx, object.Body}, object.Body}, nil
}

// get requests an object or a part of it. The body fails when the server stalls.
func (s *S3) get(ctx context.Context, in *s3.GetObjectInput) (*s3.GetObjectOutput, error) {
	ctx, cancel := context.WithCancel(ctx)
	object, err := s.client.GetObject(ctx, in)
	if err != nil {
		cancel()
		return nil, err
	}
	object.Body = &stallReader{object.Body, s.stallTimeout, cancel}
	return object, nil
}

// rangeReader returns a function that reads n bytes of the object from an offset, or up to its end
// if n is negative. The function fails once the object was replaced.
func (s *S3) rangeReader(key, etag string) func(ctx context.Context, offset, n int64) (io.ReadCloser, error) {
	return func(ctx context.Context, offset, n int64) (io.ReadCloser, error) {
		ranged := fmt.Sprintf("bytes=%d-", offset)
		if n >= 0 {
			ranged = fmt.Sprintf("bytes=%d-%d", offset, offset+n-1)
		}
		object, err := s.get(ctx, &s3.GetObjectInput{
			Bucket: &s.bucket, Key: aws.String(s.prefix + key), Range: &ranged, IfMatch: &etag,
		})
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", key, s3Error(ctx, err))
		}
		return object.Body, nil
	}
}

// List implements Store. It requests pages of 1,000 objects.
func (s *S3) List(ctx context.Context, prefix string) iter.Seq2[Object, error] {
	return func(yield func(Object, error) bool) {
		folder, err := checkPrefix(prefix)
		if err != nil {
			yield(Object{}, err)
			return
		}
		if folder != "" {
			folder += "/"
		}
		pages := s3.NewListObjectsV2Paginator(s.client, &s3.ListObjectsV2Input{Bucket: &s.bucket, Prefix: aws.String(s.prefix + folder)})
		for pages.HasMorePages() {
			page, err := pages.NextPage(ctx)
			if err != nil {
				yield(Object{}, fmt.Errorf("list %q: %w", prefix, s3Error(ctx, err)))
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
func (s *S3) yieldPage(page *s3.ListObjectsV2Output, yield func(Object, error) bool) bool {
	for _, o := range page.Contents {
		key, ours := strings.CutPrefix(aws.ToString(o.Key), s.prefix)
		if !ours || CheckKey(key) != nil || key == pingName || strings.HasPrefix(key, tailFolder) {
			continue
		}
		if !yield(s3Object(key, o.Size, o.ETag, o.LastModified), nil) {
			return false
		}
	}
	return true
}
