package s3

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"portico/storage"
	"portico/storage/door"
)

// Location is a parsed storage URL (see Options.URL).
type Location struct {
	bucket    string
	endpoint  string // "" for Amazon's
	region    string // "" for the region of the environment
	prefix    string // "" or with its final slash
	pathStyle bool
	overwrite bool // an upload may replace the object that is there
}

// ParseLocation parses a storage URL. Its error is shown and logged, so it never contains a
// secret key that was written into the URL by mistake.
func ParseLocation(text string) (Location, error) {
	u, err := url.Parse(text)
	// Secret keys often have a slash, which ends the host too early: the error of url.Parse
	// would contain the key.
	switch hasKey := strings.Contains(text, "@"); {
	case err != nil && hasKey:
		return Location{}, errKeys
	case err != nil:
		return Location{}, fmt.Errorf("parse storage URL: %w", err)
	case u.Scheme != "s3":
		return Location{}, fmt.Errorf("%q is not s3://BUCKET", u.Redacted())
	case u.Host == "":
		return Location{}, errors.New("the URL names no bucket")
	case u.User != nil, strings.Contains(u.Path, "@"):
		return Location{}, errKeys
	case strings.Trim(u.Path, "/") != "":
		return Location{}, fmt.Errorf("%q names a path: use ?prefix=%s", u.Redacted(), strings.Trim(u.Path, "/"))
	}
	p := Location{bucket: u.Host}
	return p, p.read(u.Query())
}

// errKeys is the error for a storage URL with a user or a password. URLs are printed in logs.
var errKeys = errors.New("keys do not belong in the URL: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")

// read reads the parameters. It refuses unknown ones, because a misspelled parameter would
// have no effect.
func (p *Location) read(query url.Values) (err error) {
	p.endpoint = strings.TrimRight(query.Get("endpoint"), "/")
	p.pathStyle = p.endpoint != ""
	for name := range query {
		value := query.Get(name) // the first of several
		switch name {
		case "endpoint":
			_, err = door.ParseAddress(p.endpoint)
		case "region":
			p.region = value
		case "prefix":
			err = p.setPrefix(value)
		case "path_style":
			p.pathStyle, err = parseBool(value)
		case "overwrite":
			p.overwrite, err = parseBool(value)
		default:
			err = errors.New("the parameter is not one of endpoint, region, prefix, path_style and overwrite")
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// parseBool parses a parameter; its error says which values are allowed.
func parseBool(value string) (bool, error) {
	parsed, err := strconv.ParseBool(value)
	if err != nil {
		return false, fmt.Errorf("%q is not true or false", value)
	}
	return parsed, nil
}

// setPrefix sets the prefix to a folder, with or without slashes around it. The rules of
// keys apply to it, so that the prefix and a key together are a key.
func (p *Location) setPrefix(value string) error {
	folder, err := storage.CheckPrefix(strings.Trim(value, "/"))
	if err == nil && folder != "" {
		p.prefix = folder + "/"
	}
	return err
}

// configure overrides the region of the environment. It always sets one, because every
// signature contains it, even for servers without regions.
func (p Location) configure(c *aws.Config) {
	switch {
	case p.region != "":
		c.Region = p.region
	case c.Region == "":
		c.Region = "us-east-1"
	}
}

// configureClient sets the options of the client. It computes checksums only where S3 requires
// them, since many servers do not support them.
func (p Location) configureClient(o *s3.Options) {
	o.UsePathStyle = p.pathStyle
	o.RequestChecksumCalculation = aws.RequestChecksumCalculationWhenRequired
	o.ResponseChecksumValidation = aws.ResponseChecksumValidationWhenRequired
	if p.endpoint != "" {
		o.BaseEndpoint = aws.String(p.endpoint)
	}
	o.HTTPSignerV4 = requestSigner{o.HTTPSignerV4}
}

// requestSigner leaves Accept-Encoding out of the signed headers: Google's storage and some proxies
// rewrite it, and the signature would not match any more.
type requestSigner struct{ s3.HTTPSignerV4 }

// SignHTTP implements s3.HTTPSignerV4.
func (s requestSigner) SignHTTP( //nolint:revive // the interface's arguments
	ctx context.Context, credentials aws.Credentials, r *http.Request, payloadHash, service, region string,
	at time.Time, options ...func(*v4.SignerOptions),
) error {
	const name = "Accept-Encoding"
	sent := r.Header.Values(name)
	r.Header.Del(name)
	err := s.HTTPSignerV4.SignHTTP(ctx, credentials, r, payloadHash, service, region, at, options...)
	for _, value := range sent {
		r.Header.Add(name, value)
	}
	return err
}

// address returns the base of the bucket's objects for clients. The SDK uses the same base:
// the bucket is in the path or the first part of the host.
func (p Location) address(region string) string {
	endpoint := p.endpoint
	if endpoint == "" {
		endpoint = "https://s3." + region + ".amazonaws.com"
	}
	if p.pathStyle {
		return endpoint + "/" + p.bucket
	}
	scheme, host, _ := strings.Cut(endpoint, "://")
	return scheme + "://" + p.bucket + "." + host
}
