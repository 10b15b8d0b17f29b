package s3

import (
	"fmt"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"portico/storage"
	"portico/storage/door"
)

// bucketLifetime is the lifetime of the bucket's address to which a reader is redirected:
// long enough to start a download and to request further ranges of a large file.
const bucketLifetime = 15 * time.Minute

// ServeHTTP serves the addresses of a private bucket's objects, below the path of FilesURL.
// It redirects GET and HEAD to the bucket, if the sender may read the object. Uploads go to
// the bucket directly. Errors have the API's envelope.
func (s *Store) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.Serve(s.Files, w, r, func(folder, key string) error { return s.redirect(w, r, folder, key) })
}

// redirect responds with the address of an object in the bucket.
func (s *Store) redirect(w http.ResponseWriter, r *http.Request, folder, key string) error {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return door.RefuseMethod(w, "GET, HEAD, OPTIONS")
	}
	if key == "" {
		return storage.ErrNotFound
	}
	maxAge, err := s.CheckRead(r, folder, key)
	if err != nil {
		return err
	}
	target, err := s.presignRead(r, key)
	if err != nil {
		return fmt.Errorf("presign %s: %w", key, err)
	}
	// Browsers cache the redirect for less time than its target works. A maxAge of 0 means for ever.
	if maxAge == 0 || maxAge > bucketLifetime/3 {
		maxAge = bucketLifetime / 3
	}
	w.Header().Set("Cache-Control", door.CacheControl(maxAge))
	http.Redirect(w, r, target, http.StatusFound) //nolint:gosec // an address of the bucket
	return nil
}

// presignRead returns an address of the bucket for the request's method. Its response has the
// type with which the key is served, whatever the type of the upload was.
func (s *Store) presignRead(r *http.Request, key string) (string, error) {
	name, err := s.objectKey(key)
	if err != nil {
		return "", err
	}
	lifetime := s3.WithPresignExpires(bucketLifetime)
	if r.Method == http.MethodHead {
		signed, err := s.presign.PresignHeadObject(r.Context(), &s3.HeadObjectInput{Bucket: &s.bucket, Key: name}, lifetime)
		if err != nil {
			return "", err
		}
		return signed.URL, nil
	}
	signed, err := s.presign.PresignGetObject(r.Context(), &s3.GetObjectInput{
		Bucket: &s.bucket, Key: name, ResponseContentType: s.servedType(key),
	}, lifetime)
	if err != nil {
		return "", err
	}
	return signed.URL, nil
}
