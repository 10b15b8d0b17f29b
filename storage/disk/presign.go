package disk

import (
	"context"
	"net/url"

	"portico/storage"
)

// PresignPut implements storage.Store with an address that Store itself serves.
//
// The address has this query, and the client must send the Content-Type of the upload:
//
//	size       the exact number of bytes of the body
//	expires    when the upload must have started, in seconds since 1970
//	signature  HMAC-SHA256 in base64url, over the method, the key, the type and the two above
func (d *Store) PresignPut(_ context.Context, u storage.Upload) (storage.Presigned, error) {
	if err := storage.CheckKey(u.Key); err != nil {
		return storage.Presigned{}, err
	}
	if err := u.Check(); err != nil {
		return storage.Presigned{}, err
	}
	fields := signedFieldsOf(u)
	return storage.Presigned{
		URL:     d.files.ObjectURL(u.Key) + "?" + d.signer.query(fields),
		Method:  fields.method,
		Headers: map[string]string{"Content-Type": u.ContentType},
	}, nil
}

// AcceptsLateUploads implements storage.Store.
func (d *Store) AcceptsLateUploads() bool { return d.keepReserved == nil }

// KeyOf implements storage.Store for both bases, so that addresses from before FilesURL was set
// stay valid.
func (d *Store) KeyOf(address string) (string, bool) {
	u, err := url.Parse(address)
	if err != nil {
		return "", false
	}
	if key, ok := d.files.Key(u); ok {
		return key, true
	}
	return d.former.Key(u)
}

// PublicURL implements storage.Store.
func (d *Store) PublicURL(key string) string { return d.files.ObjectURL(key) }

// ReadURL implements storage.Store.
func (d *Store) ReadURL(ctx context.Context, key string) (string, error) {
	return d.access.URL(ctx, d.files, key)
}
