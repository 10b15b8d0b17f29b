package s3

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"portico/storage"
)

// PresignPut implements storage.Store. The signature covers the content type and the length, so
// that the server refuses another type and any other number of bytes. A bucket serves an
// object with the type of its upload, so the signed type is the type that the key is served
// with, never one that the client chose. The signature also covers If-None-Match, so that
// an object is never replaced.
func (s *Store) PresignPut(ctx context.Context, u storage.Upload) (storage.Presigned, error) {
	name, err := s.objectKey(u.Key)
	if err != nil {
		return storage.Presigned{}, err
	}
	if err := u.Check(); err != nil {
		return storage.Presigned{}, err
	}
	if u.Size > MaxUpload {
		return storage.Presigned{}, fmt.Errorf("size %d is more than one PUT to S3 carries", u.Size)
	}
	// A signature is valid for whole seconds from a whole second on. An expired one is
	// signed in the past.
	from := s.Now().UTC().Truncate(time.Second)
	lifetime := u.Expires.Truncate(time.Second).Sub(from)
	if lifetime < time.Second {
		from, lifetime = u.Expires.Add(-time.Second), time.Second
	}
	contentType := s.servedType(u.Key)
	in := &s3.PutObjectInput{Bucket: &s.bucket, Key: name, ContentType: contentType, ContentLength: aws.Int64(u.Size)}
	headers := map[string]string{"Content-Type": *contentType}
	if !s.overwrite {
		in.IfNoneMatch, headers["If-None-Match"] = aws.String("*"), "*"
	}
	signed, err := s.presign.PresignPutObject(context.WithValue(ctx, signedAt{}, from), in, s3.WithPresignExpires(lifetime))
	if err != nil {
		return storage.Presigned{}, fmt.Errorf("presign %s: %w", u.Key, err)
	}
	return storage.Presigned{URL: signed.URL, Method: http.MethodPut, Headers: headers}, nil
}

// AcceptsLateUploads implements storage.Store: a bucket does not know the state of uploads.
func (*Store) AcceptsLateUploads() bool { return true }

// signedAt is the context key of the time at which a signature starts.
type signedAt struct{}

// presignerAt signs as of the time in the context. The SDK has no other option for the time, and
// the address of an upload must expire with the upload. PresignPut stores the time under signedAt;
// other signatures start now.
type presignerAt struct{ s3.HTTPPresignerV4 }

// PresignHTTP implements s3.HTTPPresignerV4.
func (p presignerAt) PresignHTTP( //nolint:revive // the interface's arguments
	ctx context.Context, credentials aws.Credentials, r *http.Request, payloadHash, service, region string,
	at time.Time, options ...func(*v4.SignerOptions),
) (string, http.Header, error) {
	if from, ok := ctx.Value(signedAt{}).(time.Time); ok {
		at = from
	}
	return p.HTTPPresignerV4.PresignHTTP(ctx, credentials, r, payloadHash, service, region, at, options...)
}
