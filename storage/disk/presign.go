package disk

import (
	"context"

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
		URL:     d.PublicURL(u.Key) + "?" + d.signer.query(fields),
		Method:  fields.method,
		Headers: map[string]string{"Content-Type": u.ContentType},
	}, nil
}

// AcceptsLateUploads implements storage.Store.
func (d *Store) AcceptsLateUploads() bool { return d.keepReserved == nil }
