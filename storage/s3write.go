package storage

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/s3/transfermanager"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// Put implements Store: in one request where the object fits into a part, else
// in parts that become an object all at once.
func (s *S3) Put(ctx context.Context, key string, r io.Reader) (int64, error) {
	name, err := s.in(key)
	if err != nil {
		return 0, err
	}
	counted := &counting{Reader: &source{ctx, r}}
	// The transfer manager reads ahead by parts, never all of r.
	in := &transfermanager.UploadObjectInput{
		Bucket: &s.bucket, Key: name, Body: counted, ContentType: aws.String(servedType(key, s.isolated)),
	}
	if _, err := s.transfer.UploadObject(ctx, in); err != nil {
		return 0, fmt.Errorf("put %s: %w", key, putError(ctx, counted, err))
	}
	return counted.size, nil
}

// putError tells trouble with who sends from trouble with the server, which the SDK
// wraps alike. The end of ctx is trouble with who sends too.
func putError(ctx context.Context, from *counting, err error) error {
	if from.err != nil {
		return from.err
	}
	return s3Error(ctx, err)
}

// counting knows how much was read, and what the reading ended with.
type counting struct {
	io.Reader
	size int64
	err  error
}

// Read reads and counts.
func (c *counting) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.size += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		c.err = err
	}
	return n, err
}

// Delete implements Store. S3 itself says nothing of objects that are not there;
// servers that do are not listened to.
func (s *S3) Delete(ctx context.Context, key string) error {
	name, err := s.in(key)
	if err != nil {
		return err
	}
	_, err = s.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &s.bucket, Key: name})
	if err := s3Error(ctx, err); err != nil && !errors.Is(err, ErrNotFound) {
		return fmt.Errorf("delete %s: %w", key, err)
	}
	return nil
}

// DeletePrefix implements Store, a thousand objects at a time, which is what
// DeleteObjects takes. After an error some may be left, and the caller asks
// again.
func (s *S3) DeletePrefix(ctx context.Context, prefix string) error {
	folder, err := checkPrefix(prefix)
	if err != nil {
		return err
	}
	if folder == "" {
		return fmt.Errorf("%w: the empty prefix is everything", ErrInvalidKey)
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

// deleteAll deletes a batch; the first error of an object is the batch's. Quiet asks
// for the errors alone.
func (s *S3) deleteAll(ctx context.Context, folder string, batch []types.ObjectIdentifier) error {
	if len(batch) == 0 {
		return nil
	}
	out, err := s.client.DeleteObjects(ctx, &s3.DeleteObjectsInput{
		Bucket: &s.bucket, Delete: &types.Delete{Objects: batch, Quiet: aws.Bool(true)},
	})
	if err != nil {
		return fmt.Errorf("delete %s: %w", folder, s3Error(ctx, err))
	}
	for _, failed := range out.Errors {
		return fmt.Errorf("%w: delete %s of %s: %s: %s", ErrUnavailable, aws.ToString(failed.Key), folder, aws.ToString(failed.Code), aws.ToString(failed.Message))
	}
	return nil
}
