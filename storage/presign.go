package storage

import (
	"context"
	"fmt"
	"net/url"
	"strings"
)

// PresignPut implements Store with an address that Disk itself serves.
//
// The address has this query, and the client must send the Content-Type of the upload:
//
//	size       the exact number of bytes of the body
//	expires    when the upload must have started, in seconds since 1970
//	signature  HMAC-SHA256 in base64url, over the method, the key, the type and the two above
func (d *Disk) PresignPut(_ context.Context, u Upload) (Presigned, error) {
	if err := CheckKey(u.Key); err != nil {
		return Presigned{}, err
	}
	if err := checkUpload(u); err != nil {
		return Presigned{}, err
	}
	fields := signedFieldsOf(u)
	return Presigned{
		URL:     d.files.objectURL(u.Key) + "?" + d.signer.query(fields),
		Method:  fields.method,
		Headers: map[string]string{"Content-Type": u.ContentType},
	}, nil
}

// AcceptsLateUploads implements Store.
func (d *Disk) AcceptsLateUploads() bool { return d.keepReserved == nil }

// checkUpload returns an error for an upload that no client could send.
func checkUpload(u Upload) error {
	if !isPortableHeader(u.ContentType) {
		return fmt.Errorf("content type %q cannot be sent", u.ContentType)
	}
	if u.Size < 0 {
		return fmt.Errorf("size %d is negative", u.Size)
	}
	return nil
}

// isPortableHeader reports whether a header value is visible ASCII without space around it. Clients
// send other values in different forms.
func isPortableHeader(value string) bool {
	strange := func(r rune) bool { return r < ' ' || r > '~' }
	return value != "" && strings.TrimSpace(value) == value && !strings.ContainsFunc(value, strange)
}

// KeyOf implements Store for both bases, so that addresses from before FilesURL was set
// stay valid.
func (d *Disk) KeyOf(address string) (string, bool) {
	u, err := url.Parse(address)
	if err != nil {
		return "", false
	}
	if key, ok := d.files.key(u); ok {
		return key, true
	}
	return d.former.key(u)
}

// PublicURL implements Store.
func (d *Disk) PublicURL(key string) string { return d.files.objectURL(key) }

// ReadURL implements Store.
func (d *Disk) ReadURL(ctx context.Context, key string) (string, error) {
	return d.access.url(ctx, d.files, key)
}
