// Package s3 stores objects in a bucket of a server with the S3 API.
package s3

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/feature/s3/transfermanager"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"go.opentelemetry.io/otel/trace"

	"portico/storage"
	"portico/storage/door"
)

// MaxUpload is the maximum size in bytes of an upload by one presigned PUT to S3
// ("Uploading and copying objects", Amazon S3 User Guide).
const MaxUpload = 5 << 30

// Options configures Open. Only URL is required.
type Options struct {
	// URL is s3://BUCKET with these query parameters: endpoint, an http or https URL,
	// Amazon's own when absent; region, us-east-1 when neither it nor AWS_REGION is set;
	// prefix, the folder of the bucket to use; path_style, true or false, whether addresses
	// have the bucket in the path or in the host, true when there is an endpoint;
	// overwrite, true for a server that does not support If-None-Match of a PUT: only then
	// an upload can replace an object. The keys come from the places where AWS's tools look
	// for them, such as AWS_ACCESS_KEY_ID.
	URL string
	// BaseURL is the public address of the server. Modules are served as scripts on every
	// other origin; empty means that files never share an origin with the server.
	BaseURL string
	// FilesURL is the base of public addresses, for example of a content delivery network.
	// Empty means the bucket's own addresses; the bucket's policy must then let everyone
	// read below the prefix.
	FilesURL string
	// Shown protects the objects for which it returns false, as in disk.Options. The bucket
	// is private then. FilesURL must be set, and the Store be mounted there: it redirects those
	// who may read an object to an address of the bucket that works for minutes. Secret
	// signs the addresses of ReadURL, as in disk.Options.
	Shown  door.ReadRule
	Secret []byte
	// ByLink lets who has entered spaces by share links read what these spaces show, as in
	// disk.Options.
	ByLink door.LinkRule
	// KeyVersion ends signed addresses, as in disk.Options. The bucket's own addresses, to which
	// they redirect, work for minutes.
	KeyVersion door.KeyVersion
	// Now is the clock for the signatures of uploads; nil means time.Now.
	Now func() time.Time
	// MaxBackoff is the maximum backoff before a failed request is sent again; zero means five
	// seconds.
	MaxBackoff time.Duration
	// StallTimeout is the maximum time in which the server may send nothing of a response;
	// the connection then counts as broken. Zero means two minutes, because completing a
	// large multipart upload may take that long.
	StallTimeout time.Duration
	// Logger logs the requests that ServeHTTP refuses; nil means no log.
	Logger *slog.Logger
	// Tracer creates a span for each request to S3 that belongs to a trace; nil creates
	// none.
	Tracer trace.Tracer
}

// Store is a storage.Store in a bucket of a server with the S3 API. It has no state of its own, so
// any number of processes may share the bucket. Requests that fail temporarily are sent again after
// a growing backoff. A presigned PUT can carry up to MaxUpload.
//
// The names in the bucket, all of them below the prefix:
//
//	KEY                   an object, or a multipart upload that becomes one
//	.tails/HASH           the tail of an object that arrives in pieces
//	.tails/HASH.N         the tail of a part that starts after N S3 parts
//	.ping                 the object that Ping writes and deletes
type Store struct {
	// Door has the bases of addresses: Other is the one of the bucket, to which uploads are sent.
	door.Door
	// client sends single requests, transfer sends objects of any size, and presign signs
	// addresses.
	client   *s3.Client
	transfer *transfermanager.Client
	presign  *s3.PresignClient
	bucket   string
	prefix   string // "" or with its final slash
	// isolated reports whether no base of addresses has the host of the server's pages.
	isolated     bool
	overwrite    bool // see Options.URL
	stallTimeout time.Duration
	pieceBuffers sync.Pool // of *[pieceSize]byte
}

// The sizes of transfers. One transfer holds partSize times partsAtATime in memory. S3
// accepts 10,000 parts, so an object has at most 160 GB.
const (
	partSize     = 16 << 20
	partsAtATime = 2
	// attempts is how many times a request is sent that fails temporarily.
	attempts = 6
)

// Open returns the store. It sends no request; use Ping to check the server.
func Open(ctx context.Context, o Options) (*Store, error) {
	s, err := open(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("open S3 storage: %w", err)
	}
	return s, nil
}

// open is Open without the name of the operation in its errors.
func open(ctx context.Context, o Options) (*Store, error) {
	location, err := ParseLocation(o.URL)
	if err != nil {
		return nil, err
	}
	stallTimeout := cmp.Or(o.StallTimeout, 2*time.Minute)
	client := awshttp.NewBuildableClient().WithTransportOptions(func(t *http.Transport) { t.ResponseHeaderTimeout = stallTimeout })
	loaded, err := config.LoadDefaultConfig(ctx, config.WithHTTPClient(client), config.WithRetryer(func() aws.Retryer {
		return retry.NewStandard(func(r *retry.StandardOptions) {
			r.MaxAttempts, r.MaxBackoff = attempts, cmp.Or(o.MaxBackoff, 5*time.Second)
		})
	}))
	if err != nil {
		return nil, err
	}
	location.configure(&loaded)
	if o.Tracer != nil {
		loaded.HTTPClient = tracedClient{loaded.HTTPClient, o.Tracer}
	}
	s := &Store{
		client: s3.NewFromConfig(loaded, location.configureClient),
		bucket: location.bucket, prefix: location.prefix, overwrite: location.overwrite,
		stallTimeout: stallTimeout,
	}
	s.pieceBuffers.New = func() any { return new([pieceSize]byte) }
	signer := v4.NewSigner(func(o *v4.SignerOptions) { o.DisableURIPathEscaping = true }) // S3 signs the path as it is sent, escaped once
	s.presign = s3.NewPresignClient(s.client, func(p *s3.PresignOptions) { p.Presigner = presignerAt{signer} })
	s.transfer = transfermanager.New(s.client, func(t *transfermanager.Options) {
		t.PartSizeBytes, t.MultipartUploadThreshold, t.Concurrency = partSize, partSize, partsAtATime
		t.RequestChecksumCalculation = aws.RequestChecksumCalculationWhenRequired
		// Abort a failed multipart upload even if our context was canceled.
		t.FailTimeout = time.Minute
	})
	return s, s.setAddresses(location, loaded.Region, o)
}

// setAddresses sets the bases of addresses, and who may read them.
func (s *Store) setAddresses(location Location, region string, o Options) error {
	bucket, err := door.ParseAddress(location.address(region))
	if err != nil {
		return err
	}
	if s.prefix != "" {
		bucket = bucket.Join(strings.TrimSuffix(s.prefix, "/"))
	}
	s.Door, err = door.New(bucket, door.Options{
		FilesURL: o.FilesURL, Shown: o.Shown, ByLink: o.ByLink, KeyVersion: o.KeyVersion, Secret: o.Secret, Now: o.Now, Logger: o.Logger,
	})
	if err != nil || o.BaseURL == "" {
		s.isolated = true
		return err
	}
	server, err := door.ParseAddress(o.BaseURL)
	s.isolated = !s.Files.SameHost(server) && !bucket.SameHost(server)
	return err
}

// objectKey returns the key of an object in the bucket, which starts with the prefix, or
// ErrInvalidKey. The prefix is a key with a slash, so both together are a key if key is one and
// they are not too long.
func (s *Store) objectKey(key string) (*string, error) {
	name := s.prefix + key
	return &name, storage.CheckKey(name)
}

// servedType returns the type with which the bucket serves an object.
func (s *Store) servedType(key string) *string {
	mediaType, _ := storage.ServedType(key, s.isolated)
	return &mediaType
}

// Ping implements storage.Store: it writes a small object and deletes it, because permission to
// list a bucket does not imply permission to write.
func (s *Store) Ping(ctx context.Context) error {
	name := aws.String(s.prefix + pingName)
	// With more attempts, the caller's deadline would end the pause before the next attempt, and
	// hide why the attempts before it failed.
	twice := func(o *s3.Options) { o.RetryMaxAttempts = 2 }
	_, err := s.client.PutObject(ctx, &s3.PutObjectInput{Bucket: &s.bucket, Key: name}, twice)
	if err == nil {
		_, err = s.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &s.bucket, Key: name}, twice)
	}
	if err != nil {
		return fmt.Errorf("ping storage: %w", storeError(ctx, err))
	}
	return nil
}

// pingName is left out of listings, since it is not an object of a user.
const pingName = ".ping"
