package storage

import (
	"fmt"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// bucketLifetime is how long the bucket's address works that a reader is sent to: long
// enough to begin with it, and to ask for further parts of a large file.
const bucketLifetime = 15 * time.Minute

// ServeHTTP answers the addresses of a private bucket's objects, below the path of
// FilesURL: GET and HEAD lead who may read an object to the bucket, for some minutes.
// Uploads go to the bucket directly. Errors have the API's envelope.
func (s *S3) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	crossOrigin().Allow(w.Header())
	if err := s.answer(w, r); err != nil {
		fail(s.log, w, r, err)
	}
}

func (s *S3) answer(w http.ResponseWriter, r *http.Request) error {
	folder, key, ok := s.files.split(r.URL)
	switch r.Method {
	case http.MethodOptions:
		preflight(w, r)
		return nil
	case http.MethodGet, http.MethodHead:
	default:
		w.Header().Set("Allow", "GET, HEAD, OPTIONS")
		return refuse(http.StatusMethodNotAllowed, messageMethod)
	}
	if !ok {
		return ErrNotFound
	}
	keep, err := s.access.allow(r, folder, key)
	if err != nil {
		return err
	}
	target, err := s.presignRead(r, key)
	if err != nil {
		return fmt.Errorf("presign %s: %w", key, err)
	}
	// Kept for less than the address works that it leads to.
	w.Header().Set("Cache-Control", cacheControl(min(keep, bucketLifetime/3)))
	http.Redirect(w, r, target, http.StatusFound) //nolint:gosec // an address of the bucket
	return nil
}

// presignRead returns an address of the bucket for one method, with the type that the
// key is served as, whatever the object was sent as.
func (s *S3) presignRead(r *http.Request, key string) (string, error) {
	name, err := s.in(key)
	if err != nil {
		return "", err
	}
	lasts := s3.WithPresignExpires(bucketLifetime)
	if r.Method == http.MethodHead {
		signed, err := s.presign.PresignHeadObject(r.Context(), &s3.HeadObjectInput{Bucket: &s.bucket, Key: name}, lasts)
		if err != nil {
			return "", err
		}
		return signed.URL, nil
	}
	signed, err := s.presign.PresignGetObject(r.Context(), &s3.GetObjectInput{
		Bucket: &s.bucket, Key: name, ResponseContentType: aws.String(servedType(key, s.isolated)),
	}, lasts)
	if err != nil {
		return "", err
	}
	return signed.URL, nil
}
