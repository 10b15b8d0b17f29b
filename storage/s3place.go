package storage

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// S3Place is where a bucket is, as a storage URL says it (see S3Options.URL).
type S3Place struct {
	bucket    string
	endpoint  string // "" is Amazon's
	region    string // "" is that of the environment
	prefix    string // "" or with its final slash
	pathStyle bool
	overwrite bool // an upload may replace the object that is there
}

// ParseS3 reads a storage URL and names what is wrong with it. The error is shown and
// logged, so it holds no secret key that was written into the URL by mistake.
func ParseS3(text string) (S3Place, error) {
	u, err := url.Parse(text)
	// A key with a slash, as many have one, ends the host too early: the parser's
	// error would show it.
	switch hasKey := strings.Contains(text, "@"); {
	case err != nil && hasKey:
		return S3Place{}, errKeys
	case err != nil:
		return S3Place{}, fmt.Errorf("parse storage URL: %w", err)
	case u.Scheme != "s3":
		return S3Place{}, fmt.Errorf("%q is not s3://BUCKET", u.Redacted())
	case u.Host == "":
		return S3Place{}, errNoBucket
	case u.User != nil, strings.Contains(u.Path, "@"):
		return S3Place{}, errKeys
	case strings.Trim(u.Path, "/") != "":
		return S3Place{}, fmt.Errorf("%q names a path: use ?prefix=%s", u.Redacted(), strings.Trim(u.Path, "/"))
	}
	p := S3Place{bucket: u.Host}
	return p, p.read(u.Query())
}

var errKeys = errors.New("keys do not belong into the URL: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")

// read takes the parameters and refuses those that it does not know: a word that
// is misspelt is not to be without effect.
func (p *S3Place) read(query url.Values) (err error) {
	p.endpoint = strings.TrimRight(query.Get("endpoint"), "/")
	p.pathStyle = p.endpoint != ""
	for name := range query {
		value := query.Get(name) // the first of several
		switch name {
		case "endpoint":
			_, err = parseAddress(p.endpoint)
		case "region":
			p.region = value
		case "prefix":
			err = p.setPrefix(value)
		case "path_style":
			p.pathStyle, err = parseBool(value)
		case "overwrite":
			p.overwrite, err = parseBool(value)
		default:
			err = fmt.Errorf("the parameter is not one of endpoint, region, prefix, path_style and overwrite")
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func parseBool(value string) (bool, error) {
	parsed, err := strconv.ParseBool(value)
	if err != nil {
		return false, fmt.Errorf("%q is not true or false", value)
	}
	return parsed, nil
}

// setPrefix takes a folder with or without slashes around it. It is held to the
// rules of keys, so that a prefix and a key are a key.
func (p *S3Place) setPrefix(value string) error {
	folder, err := checkPrefix(strings.Trim(value, "/"))
	if err == nil && folder != "" {
		p.prefix = folder + "/"
	}
	return err
}

// configure lays the place over what the environment says. A region is needed even
// by servers that have none: it is a part of every signature.
func (p S3Place) configure(c *aws.Config) {
	switch {
	case p.region != "":
		c.Region = p.region
	case c.Region == "":
		c.Region = "us-east-1"
	}
}

// client are the options of the client. Checksums beyond what an operation needs
// are left out, since many servers do not know them.
func (p S3Place) client(o *s3.Options) {
	o.UsePathStyle = p.pathStyle
	o.RequestChecksumCalculation = aws.RequestChecksumCalculationWhenRequired
	o.ResponseChecksumValidation = aws.ResponseChecksumValidationWhenRequired
	if p.endpoint != "" {
		o.BaseEndpoint = aws.String(p.endpoint)
	}
}

// address returns the base of the bucket's objects, as clients reach them: the same
// that the SDK makes for its own requests, with the bucket in the path or as the
// first part of the host.
func (p S3Place) address(region string) string {
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
