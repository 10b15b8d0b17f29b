package disk

import (
	"fmt"
	"io"
	"math"
	"net/http"
	"strings"

	"portico/internal/envelope"
	"portico/storage"
	"portico/storage/door"
)

// ServeHTTP serves the addresses of the store. GET and HEAD return objects to those who may
// read them (Options.Shown), PUT receives presigned uploads, and OPTIONS handles
// preflights. Requests need no API key. Their paths must be below the path of FilesURL.
// Errors have the API's envelope. The server must not limit the duration of these requests:
// files are large.
func (d *Store) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d.serveBelow(d.Files, w, r)
}

// FormerHandler returns the handler for {BaseURL}/files when FilesURL is elsewhere. It redirects
// GET and HEAD to the object's address, so that no file is served on the origin of our
// pages, and receives uploads whose address was issued before FilesURL was set.
func (d *Store) FormerHandler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { d.serveBelow(d.Other, w, r) })
}

// serveBelow handles the paths below one of the two bases.
func (d *Store) serveBelow(base door.Address, w http.ResponseWriter, r *http.Request) {
	d.Serve(base, w, r, func(folder, key string) error {
		switch r.Method {
		case http.MethodGet, http.MethodHead:
			if key == "" {
				return storage.ErrNotFound
			}
			if base != d.Files {
				http.Redirect(w, r, d.Files.SignedURL(folder, key), http.StatusPermanentRedirect)
				return nil
			}
			lifetime, err := d.CheckRead(r, folder, key)
			if err != nil {
				return err
			}
			return d.serve(w, r, key, lifetime)
		case http.MethodPut:
			if key == "" || folder != "" {
				return errNotSigned
			}
			return d.receive(w, r, key)
		}
		return door.RefuseMethod(w, door.AllowedMethods)
	})
}

// serve responds to GET and HEAD; the response may be cached for its lifetime. net/http handles ranges
// and conditions.
func (d *Store) serve(w http.ResponseWriter, r *http.Request, key string, lifetime door.Lifetime) error {
	file, object, err := d.open(key)
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // read only
	door.SetObjectHeaders(w.Header(), object, d.isolated)
	w.Header().Set("Cache-Control", lifetime.CacheControl())
	if compressed := d.openCompressed(object); compressed != nil {
		defer compressed.Close() //nolint:errcheck // read only
		w.Header().Set("Vary", "Accept-Encoding")
		if wantsCompressed(r) {
			if err := describeCompressed(w.Header(), object, compressed); err != nil {
				return err
			}
			file = compressed
		}
	}
	switch asked := r.Header.Get("Range"); {
	case asked == "bytes=-0": // no bytes: net/http would send the range from the end to the byte before it
		r.Header.Set("Range", fmt.Sprintf("bytes=%d-", math.MaxInt64))
	case !strings.HasPrefix(asked, "bytes="): // a unit that is not known is ignored (RFC 9110 section 14.2)
		r.Header.Del("Range")
	}
	http.ServeContent(&contentWriter{ResponseWriter: w}, r, "", object.ModifiedAt, file)
	return nil
}

// contentWriter replaces the plain text errors of http.ServeContent, such as an
// unsatisfiable range, with the API's envelope.
type contentWriter struct {
	http.ResponseWriter
	refused bool
}

// WriteHeader sends the status, and for an error the whole response.
func (w *contentWriter) WriteHeader(status int) {
	if status < http.StatusBadRequest {
		w.ResponseWriter.WriteHeader(status)
		return
	}
	w.refused = true
	door.WriteRefusal(w.ResponseWriter, status, envelope.NewRefusal(http.StatusText(status)))
}

// Write drops the plain text of an error.
func (w *contentWriter) Write(p []byte) (int, error) {
	if w.refused {
		return len(p), nil
	}
	return w.ResponseWriter.Write(p)
}

// ReadFrom lets the server use sendfile.
func (w *contentWriter) ReadFrom(r io.Reader) (int64, error) {
	return io.Copy(w.ResponseWriter, r)
}
