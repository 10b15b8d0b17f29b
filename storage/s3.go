package storage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/feature/s3/transfermanager"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"go.opentelemetry.io/otel/trace"
)

// S3MaxUpload is the largest upload in bytes that one presigned PUT can carry to
// S3 ("Uploading and copying objects", Amazon S3 User Guide).
const S3MaxUpload = 5 << 30

// S3Options says where an S3 store keeps objects and how they are addressed.
type S3Options struct {
	// URL is s3://BUCKET, with the query parameters endpoint (an http or https
	// URL; Amazon's own when absent), region (us-east-1 when neither it nor
	// AWS_REGION is set), prefix (a folder of the bucket to stay in) and
	// path_style (true or false: whether the bucket is the first folder of a
	// path or a part of the host; true when there is an endpoint) and overwrite (true
	// for a server that does not know If-None-Match of a PUT: without it an upload
	// never replaces an object). The keys come
	// from where AWS's tools look for them, AWS_ACCESS_KEY_ID for one.
	URL string
	// BaseURL is the public address of the server. Modules are scripts on any other
	// origin than its own; empty means that files never share it.
	BaseURL string
	// FilesURL is the base of public addresses, a content delivery network for
	// one. When it is empty, they are the bucket's own, and the bucket's policy
	// must let everyone read below the prefix.
	FilesURL string
	// Shown protects the objects that it does not report, as in DiskOptions. The bucket
	// is private then: FilesURL, which must be set, is where S3 is mounted, and sends
	// those who may read an object to the bucket with an address that works for
	// minutes. Secret signs the addresses of ReadURL, as in DiskOptions.
	Shown  Shown
	Secret []byte
	// Now is the clock that uploads are signed by; nil means time.Now.
	Now func() time.Time
	// LongestWait bounds the growing waits before a failed request is sent
	// again; zero means 5 s.
	LongestWait time.Duration
	// LongestSilence is how long the server may send nothing of an answer before the
	// connection counts as broken; zero means two minutes, which the end of a large
	// upload in parts may take.
	LongestSilence time.Duration
	// Logger gets the requests that ServeHTTP refuses; nil means no log.
	Logger *slog.Logger
	// Tracer makes a span of each request to S3 that belongs to a trace; nil makes
	// none.
	Tracer trace.Tracer
}

// S3 is a Store in a bucket of any server that speaks S3. It takes presigned
// PUTs of up to S3MaxUpload and keeps no state of its own, so that any number of
// processes share it. Requests that fail for reasons that pass are sent again,
// with growing waits.
type S3 struct {
	client    *s3.Client
	transfer  *transfermanager.Client
	presign   *s3.PresignClient
	bucket    string
	prefix    string // "" or with its final slash
	files     address
	uploads   address
	isolated  bool
	overwrite bool // see S3Options.URL
	access    access
	log       *slog.Logger
	now       func() time.Time
	silence   time.Duration
}

// The sizes of pieces. What a transfer holds in memory is partSize times
// partsAtATime: S3 takes 10,000 parts, so that the largest object has 160 GB.
const (
	partSize     = 16 << 20
	partsAtATime = 2
	// attempts is how often a request is sent that fails for reasons that pass.
	attempts = 6
)

// OpenS3 makes the store. It asks nothing of the server: Ping does.
func OpenS3(ctx context.Context, o S3Options) (*S3, error) {
	s, err := openS3(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("open S3 storage: %w", err)
	}
	return s, nil
}

func openS3(ctx context.Context, o S3Options) (*S3, error) {
	place, err := ParseS3(o.URL)
	if err != nil {
		return nil, err
	}
	silence := cmp.Or(o.LongestSilence, 2*time.Minute)
	client := awshttp.NewBuildableClient().WithTransportOptions(func(t *http.Transport) { t.ResponseHeaderTimeout = silence })
	loaded, err := config.LoadDefaultConfig(ctx, config.WithHTTPClient(client), config.WithRetryer(func() aws.Retryer {
		return retry.NewStandard(func(r *retry.StandardOptions) {
			r.MaxAttempts, r.MaxBackoff = attempts, cmp.Or(o.LongestWait, 5*time.Second)
		})
	}))
	if err != nil {
		return nil, err
	}
	place.configure(&loaded)
	if o.Tracer != nil {
		loaded.HTTPClient = tracedClient{loaded.HTTPClient, o.Tracer}
	}
	s := &S3{client: s3.NewFromConfig(loaded, place.client), bucket: place.bucket, prefix: place.prefix, overwrite: place.overwrite, now: o.Now, silence: silence}
	if s.now == nil {
		s.now = time.Now
	}
	s.log = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	signer := v4.NewSigner(func(o *v4.SignerOptions) { o.DisableURIPathEscaping = true }) // as S3 wants it
	s.presign = s3.NewPresignClient(s.client, func(p *s3.PresignOptions) { p.Presigner = dated{signer} })
	s.transfer = transfermanager.New(s.client, func(t *transfermanager.Options) {
		t.PartSizeBytes, t.MultipartUploadThreshold, t.Concurrency = partSize, partSize, partsAtATime
		t.RequestChecksumCalculation = aws.RequestChecksumCalculationWhenRequired
		// What was sent of an upload that failed is given up even when ours was
		// cancelled.
		t.FailTimeout = time.Minute
	})
	if s.access, err = newAccess(o.Shown, o.Secret, s.now); err != nil {
		return nil, err
	}
	return s, s.setAddresses(place, loaded.Region, o)
}

// setAddresses finds out what the bucket's addresses look like.
func (s *S3) setAddresses(place S3Place, region string, o S3Options) (err error) {
	if s.uploads, err = parseAddress(place.address(region)); err != nil {
		return err
	}
	if s.prefix != "" {
		s.uploads = s.uploads.below("/" + escapeKey(s.prefix[:len(s.prefix)-1]))
	}
	s.files = s.uploads
	if o.FilesURL != "" {
		if s.files, err = parseAddress(o.FilesURL); err != nil {
			return err
		}
	}
	server := address{}
	if o.BaseURL != "" {
		server, err = parseAddress(o.BaseURL)
	}
	s.isolated = !s.files.sameHost(server) && !s.uploads.sameHost(server)
	return err
}

// Close frees nothing: there is nothing to be freed.
func (*S3) Close() error { return nil }

// in returns the name of an object in the bucket, or ErrInvalidKey.
func (s *S3) in(key string) (*string, error) {
	if err := CheckKey(key); err != nil {
		return nil, err
	}
	if len(s.prefix)+len(key) > maxKeyBytes {
		return nil, fmt.Errorf("%w: %d bytes with the prefix", ErrInvalidKey, len(s.prefix)+len(key))
	}
	return aws.String(s.prefix + key), nil
}

// Ping implements Store: it writes a small object, because the right to list a
// bucket says nothing of the right to write it, and removes it.
func (s *S3) Ping(ctx context.Context) error {
	name := aws.String(s.prefix + pingName)
	_, err := s.client.PutObject(ctx, &s3.PutObjectInput{Bucket: &s.bucket, Key: name})
	if err == nil {
		_, err = s.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &s.bucket, Key: name})
	}
	if err != nil {
		return fmt.Errorf("ping storage: %w", s3Error(ctx, err))
	}
	return nil
}

// pingName is not listed: it is no object of anybody's.
const pingName = ".ping"

var errNoBucket = errors.New("no bucket is named")
