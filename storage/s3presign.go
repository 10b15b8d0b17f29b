package storage

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// PresignPut implements Store. The content type and the length are among the
// signed headers, so that the server itself refuses another type, and more or
// fewer bytes. A bucket serves an object as what it was sent as: the type that is
// signed is the one that the key is served as, never one of the client's choice. So is
// If-None-Match, by which the bytes that are there stay until they are deleted.
func (s *S3) PresignPut(ctx context.Context, u Upload) (Presigned, error) {
	name, err := s.in(u.Key)
	if err != nil {
		return Presigned{}, err
	}
	if err := checkUpload(u); err != nil {
		return Presigned{}, err
	}
	if u.Size > S3MaxUpload {
		return Presigned{}, fmt.Errorf("size %d is more than one PUT to S3 carries", u.Size)
	}
	// A signature lasts whole seconds from a whole second on. One that is over
	// was made before.
	from := s.now().UTC().Truncate(time.Second)
	lasts := u.Expires.Truncate(time.Second).Sub(from)
	if lasts < time.Second {
		from, lasts = u.Expires.Add(-time.Second), time.Second
	}
	contentType := servedType(u.Key, s.isolated)
	in := &s3.PutObjectInput{Bucket: &s.bucket, Key: name, ContentType: &contentType, ContentLength: aws.Int64(u.Size)}
	headers := map[string]string{"Content-Type": contentType}
	if !s.overwrite {
		in.IfNoneMatch, headers["If-None-Match"] = aws.String("*"), "*"
	}
	signed, err := s.presign.PresignPutObject(context.WithValue(ctx, signedAt{}, from), in, s3.WithPresignExpires(lasts))
	if err != nil {
		return Presigned{}, fmt.Errorf("presign %s: %w", u.Key, err)
	}
	return Presigned{URL: signed.URL, Method: http.MethodPut, Headers: headers}, nil
}

// TakesLate implements Store: a bucket knows nothing of uploads.
func (*S3) TakesLate() bool { return true }

// signedAt is the key of the moment that a signature begins at.
type signedAt struct{}

// dated signs as of the moment in the context: the SDK has no other way to be told
// a clock, and addresses for a file must end when its upload does.
type dated struct{ s3.HTTPPresignerV4 }

// PresignHTTP implements s3.HTTPPresignerV4.
func (d dated) PresignHTTP( //nolint:revive // the interface's arguments
	ctx context.Context, credentials aws.Credentials, r *http.Request, payloadHash, service, region string,
	at time.Time, options ...func(*v4.SignerOptions),
) (string, http.Header, error) {
	if from, ok := ctx.Value(signedAt{}).(time.Time); ok {
		at = from
	}
	return d.HTTPPresignerV4.PresignHTTP(ctx, credentials, r, payloadHash, service, region, at, options...)
}

// KeyOf implements Store for both bases: addresses that were given out before
// FilesURL was set, or that uploads went to, go on naming their objects.
func (s *S3) KeyOf(address string) (string, bool) {
	u, err := url.Parse(address)
	if err != nil {
		return "", false
	}
	if key, ok := s.files.key(u); ok {
		return key, true
	}
	return s.uploads.key(u)
}

// PublicURL implements Store.
func (s *S3) PublicURL(key string) string { return s.files.of(key) }

// ReadURL implements Store.
func (s *S3) ReadURL(key string) string { return s.access.url(s.files, key) }
