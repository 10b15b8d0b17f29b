package storage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// Stat implements Store.
func (s *S3) Stat(ctx context.Context, key string) (Object, error) {
	name, err := s.in(key)
	if err != nil {
		return Object{}, err
	}
	head, err := s.head(ctx, name)
	if err != nil {
		return Object{}, fmt.Errorf("stat %s: %w", key, err)
	}
	return s3Object(key, head.ContentLength, head.ETag, head.LastModified), nil
}

// head asks for what describes an object. As the answer has no body, a bucket that is
// not there looks like an object that is not.
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

// s3Object describes an object. Its content type goes by its name, as everywhere:
// listings do not tell it.
func s3Object(key string, size *int64, etag *string, modified *time.Time) Object {
	return Object{
		Key: key, Size: aws.ToInt64(size), ContentType: MediaType(key),
		ETag: aws.ToString(etag), ModifiedAt: aws.ToTime(modified).UTC(),
	}
}

// Open implements Store. The object is read as it was when it was opened: one that
// is replaced meanwhile gives an error, not a mixture.
func (s *S3) Open(ctx context.Context, key string) (io.ReadCloser, error) {
	name, err := s.in(key)
	if err != nil {
		return nil, err
	}
	object, err := s.get(ctx, &s3.GetObjectInput{Bucket: &s.bucket, Key: name})
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", key, s3Error(ctx, err))
	}
	// A connection that breaks is taken up where it broke.
	object.Body = &resumed{ctx: ctx, body: object.Body, left: aws.ToInt64(object.ContentLength), reopen: s.from(key, aws.ToString(object.ETag))}
	return struct {
		io.Reader
		io.Closer
	}{&source{ctx, object.Body}, object.Body}, nil
}

// get asks for an object, or a part of it.
func (s *S3) get(ctx context.Context, in *s3.GetObjectInput) (*s3.GetObjectOutput, error) {
	ctx, cancel := context.WithCancel(ctx)
	object, err := s.client.GetObject(ctx, in)
	if err != nil {
		cancel()
		return nil, err
	}
	object.Body = &watched{object.Body, s.silence, cancel}
	return object, nil
}

// watched is the body of an answer, whose server may fall silent.
type watched struct {
	io.ReadCloser
	silence time.Duration
	cancel  context.CancelFunc // of the request
}

var errSilent = errors.New("the server has fallen silent")

// Read gives up the connection when nothing comes.
func (w *watched) Read(p []byte) (int, error) {
	timer := time.AfterFunc(w.silence, w.cancel)
	n, err := w.ReadCloser.Read(p)
	if !timer.Stop() && n == 0 {
		return 0, errSilent
	}
	return n, err
}

// Close ends the request.
func (w *watched) Close() error {
	defer w.cancel()
	return w.ReadCloser.Close()
}

// from returns how the object, as long as it is the same one, is read from an
// offset on, for n bytes or to its end where n is negative.
func (s *S3) from(key, etag string) func(ctx context.Context, offset, n int64) (io.ReadCloser, error) {
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

// resumed reads a part of an object, whose connection may break.
type resumed struct {
	ctx    context.Context // of who opened the object
	body   io.ReadCloser
	offset int64 // of what comes next, in the object
	left   int64 // bytes of the part
	broken int   // connections in a row that brought nothing
	reopen func(ctx context.Context, offset, n int64) (io.ReadCloser, error)
}

// Read reads on, on a new connection after one that broke, so that a reader of
// gigabytes notices nothing of it.
func (r *resumed) Read(p []byte) (int, error) {
	for {
		n, err := r.body.Read(p)
		r.offset, r.left = r.offset+int64(n), r.left-int64(n)
		if n > 0 {
			r.broken = 0
		}
		switch {
		case n > 0:
			return n, nil
		case r.left == 0:
			return 0, io.EOF
		case err == nil: // as for a p without room
			return 0, nil
		case r.ctx.Err() != nil:
			return 0, r.ctx.Err()
		}
		if err := r.resume(err); err != nil {
			return 0, err
		}
	}
}

// resume opens a new connection. It gives up, with the cause, when several in a
// row have brought nothing: as long as something comes, a network may be bad.
func (r *resumed) resume(cause error) error {
	if errors.Is(cause, io.EOF) {
		cause = io.ErrUnexpectedEOF
	}
	if r.broken++; r.broken > attempts {
		return fmt.Errorf("%w: %w", ErrUnavailable, cause)
	}
	body, err := r.reopen(r.ctx, r.offset, r.left)
	if err != nil {
		return err
	}
	_ = r.body.Close() // it is broken; a failed reopen leaves it to Close
	r.body = body
	return nil
}

// Close closes the connection.
func (r *resumed) Close() error { return r.body.Close() }

// List implements Store, a page of 1,000 at a time.
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

// yieldPage yields what is on a page, and tells whether more is wanted. It leaves
// out what no key of ours names: others may use the bucket too.
func (s *S3) yieldPage(page *s3.ListObjectsV2Output, yield func(Object, error) bool) bool {
	for _, o := range page.Contents {
		key, ours := strings.CutPrefix(aws.ToString(o.Key), s.prefix)
		if !ours || CheckKey(key) != nil || key == pingName {
			continue
		}
		if !yield(s3Object(key, o.Size, o.ETag, o.LastModified), nil) {
			return false
		}
	}
	return true
}

// s3Error turns the errors of the server into those that callers tell apart. When
// the context has ended that is the cause, whatever the SDK makes of it.
func s3Error(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	if err == nil {
		return nil
	}
	status := 0 // where no answer came
	if response, ok := errors.AsType[*awshttp.ResponseError](err); ok {
		status = response.HTTPStatusCode()
	}
	if kind := s3Kind(err, status); kind != nil {
		return fmt.Errorf("%w: %w", kind, err)
	}
	return err
}

// s3Kind returns which of the errors that callers tell apart an answer means; nil
// for none.
func s3Kind(err error, status int) error {
	type coded interface {
		error
		ErrorCode() string
	}
	if refusal, ok := errors.AsType[coded](err); ok && s3Codes[refusal.ErrorCode()] != nil {
		return s3Codes[refusal.ErrorCode()]
	}
	switch status {
	case http.StatusNotFound:
		return ErrNotFound
	case http.StatusInsufficientStorage:
		return ErrFull
	case http.StatusNotImplemented, http.StatusHTTPVersionNotSupported:
		return nil // for good
	case 0,
		http.StatusUnauthorized, http.StatusForbidden,
		http.StatusRequestTimeout, http.StatusConflict, http.StatusTooManyRequests:
		return ErrUnavailable
	}
	if status >= http.StatusInternalServerError {
		return ErrUnavailable
	}
	return nil
}

// s3Codes are the codes that say more than the status which servers send with them.
var s3Codes = map[string]error{
	"NoSuchBucket":         ErrUnavailable, // which says nothing about an object
	"NoSuchUpload":         ErrUnavailable, // the end of one in parts, told twice
	"ExpiredToken":         ErrUnavailable,
	"InvalidToken":         ErrUnavailable,
	"TokenRefreshRequired": ErrUnavailable,
	"QuotaExceeded":        ErrFull, // of Ceph
}
