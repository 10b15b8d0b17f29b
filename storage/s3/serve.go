package s3

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"portico/storage"
	"portico/storage/door"
)

// bucketLifetime is the lifetime of the bucket's address to which a reader is redirected:
// long enough to start a download and to request further ranges of a large file.
const bucketLifetime = 15 * time.Minute

// ServeHTTP serves the addresses of a private bucket's objects, below the path of FilesURL.
// It redirects GET and HEAD to the bucket, if the sender may read the object, and serves some files
// itself (needsNoRedirect). Uploads go to the bucket directly. Errors have the API's envelope.
func (s *Store) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.Serve(s.Files, w, r, func(folder, key string) error { return s.respond(w, r, folder, key) })
}

// respond responds with an object, or a redirect to its address in the bucket.
func (s *Store) respond(w http.ResponseWriter, r *http.Request, folder, key string) error {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return door.RefuseMethod(w, "GET, HEAD, OPTIONS")
	}
	if key == "" {
		return storage.ErrNotFound
	}
	lifetime, err := s.CheckRead(r, folder, key)
	if err != nil {
		return err
	}
	if s.isolated && needsNoRedirect(key) {
		return s.serve(w, r, key, lifetime)
	}
	target, err := s.presignRead(r, key)
	if err != nil {
		return fmt.Errorf("presign %s: %w", key, err)
	}
	// Browsers cache the redirect for less time than its target works. Shared caches do not: some
	// answer a HEAD with what they have of a GET, whose target is signed for that method alone.
	lifetime.Shared = false
	if lifetime.MaxAge == 0 || lifetime.MaxAge > bucketLifetime/3 {
		lifetime.MaxAge = bucketLifetime / 3
	}
	w.Header().Set("Cache-Control", lifetime.CacheControl())
	http.Redirect(w, r, target, http.StatusFound) //nolint:gosec // an address of the bucket
	return nil
}

// needsNoRedirect reports whether a redirect to a bucket breaks an object: browsers resolve
// relative addresses in scripts and styles (of imports, import.meta.url and url()) against the
// address at which they have found them, after all redirects, and no bucket sends the sandbox of an
// SVG.
func needsNoRedirect(key string) bool {
	mediaType, _ := storage.ServedType(key, true)
	return strings.HasPrefix(mediaType, "text/") || door.IsSVG(key)
}

// serve responds to GET and HEAD with an object of the bucket. The files that a script names by
// relative addresses are at our addresses, and not at that of the bucket, where each needs a
// signature of its own. The bytes stream through this process, so a slow reader takes little
// memory.
func (s *Store) serve(w http.ResponseWriter, r *http.Request, key string, lifetime door.Lifetime) error {
	object, err := s.Stat(r.Context(), key)
	if err != nil {
		return err
	}
	isKnown := r.Header.Get("If-None-Match") == object.ETag
	var content io.ReadCloser
	if !isKnown && r.Method == http.MethodGet {
		if content, err = s.Open(r.Context(), key); err != nil {
			return err
		}
		defer content.Close() //nolint:errcheck // read only
	}
	door.SetObjectHeaders(w.Header(), object, s.isolated)
	w.Header().Set("Cache-Control", lifetime.CacheControl())
	if isKnown {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	w.Header().Set("Content-Length", strconv.FormatInt(object.Size, 10))
	if content == nil {
		return nil
	}
	if _, err := io.Copy(w, content); err != nil {
		panic(http.ErrAbortHandler) // closes the connection, so that the client notices the incomplete file
	}
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
	var signed *v4.PresignedHTTPRequest
	if r.Method == http.MethodHead {
		signed, err = s.presign.PresignHeadObject(r.Context(), &s3.HeadObjectInput{Bucket: &s.bucket, Key: name}, lifetime)
	} else {
		signed, err = s.presign.PresignGetObject(r.Context(), &s3.GetObjectInput{
			Bucket: &s.bucket, Key: name, ResponseContentType: s.servedType(key),
		}, lifetime)
	}
	if err != nil {
		return "", err
	}
	return signed.URL, nil
}
