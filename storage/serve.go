package storage

import (
	"io"
	"net/http"
	"time"
)

// ServeHTTP answers the addresses of the store: GET and HEAD serve objects to
// everyone, or to those who may read them (DiskOptions.Shown), PUT receives promised uploads, OPTIONS answers preflights. It
// expects paths below the one of FilesURL and needs no key of the API. Errors
// have the API's envelope. A program that mounts it must not bound the time
// of a whole request: files are large.
func (d *Disk) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d.serveBelow(d.files, w, r)
}

// Former returns the handler of {BaseURL}/files for a FilesURL elsewhere: it serves
// nothing there. GET and HEAD of an object are redirected to its address; uploads
// whose address was given out before FilesURL was set are received.
func (d *Disk) Former() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { d.serveBelow(d.former, w, r) })
}

// serveBelow answers the paths below one of the two bases.
func (d *Disk) serveBelow(base address, w http.ResponseWriter, r *http.Request) {
	crossOrigin().Allow(w.Header())
	if err := d.answer(base, w, r); err != nil {
		fail(d.log, w, r, err)
	}
}

func (d *Disk) answer(base address, w http.ResponseWriter, r *http.Request) error {
	// The path as it was sent: an unescaped one would have lost the difference between
	// a slash and an escaped slash.
	folder, key, ok := base.split(r.URL)
	switch r.Method {
	case http.MethodOptions:
		preflight(w, r)
		return nil
	case http.MethodGet, http.MethodHead:
		if !ok {
			return ErrNotFound
		}
		if base != d.files {
			http.Redirect(w, r, d.files.text+"/"+folder+escapeKey(key), http.StatusPermanentRedirect) //nolint:gosec // an address below FilesURL
			return nil
		}
		keep, err := d.access.allow(r, folder, key)
		if err != nil {
			return err
		}
		return d.serve(w, r, key, keep)
	case http.MethodPut:
		if !ok || folder != "" {
			return refuse(http.StatusForbidden, messageNotSigned)
		}
		return d.receive(w, r, key)
	}
	w.Header().Set("Allow", allowedMethods)
	return refuse(http.StatusMethodNotAllowed, messageMethod)
}

// serve answers GET and HEAD, which may be kept for so long. net/http knows ranges and
// conditions.
func (d *Disk) serve(w http.ResponseWriter, r *http.Request, key string, keep time.Duration) error {
	file, object, err := d.open(key)
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // read only
	d.describe(w.Header(), object)
	w.Header().Set("Cache-Control", cacheControl(keep))
	http.ServeContent(&contentWriter{ResponseWriter: w}, r, "", object.ModifiedAt, file)
	return nil
}

// describe sets the headers of an object. The sandbox and nosniff make it
// inert when opened in a browser: it was written by a stranger, and may come from
// the origin of our pages.
func (d *Disk) describe(h http.Header, object Object) {
	h.Set("ETag", object.ETag)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	h.Set("Content-Type", servedType(object.Key, d.isolated))
	if _, known := mediaTypeOf(object.Key); !known && (!d.isolated || !isModule(object.Key)) {
		h.Set("Content-Disposition", "attachment")
	}
}

// contentWriter gives the errors of http.ServeContent, a range that cannot be
// satisfied for one, the API's envelope in place of plain text.
type contentWriter struct {
	http.ResponseWriter
	refused bool
}

// WriteHeader sends the status, and with an error its whole answer.
func (w *contentWriter) WriteHeader(status int) {
	if status < http.StatusBadRequest {
		w.ResponseWriter.WriteHeader(status)
		return
	}
	w.refused = true
	writeRefusal(w.ResponseWriter, &refusal{status, http.StatusText(status)})
}

// Write drops the plain text of an error.
func (w *contentWriter) Write(p []byte) (int, error) {
	if w.refused {
		return len(p), nil
	}
	return w.ResponseWriter.Write(p)
}

// ReadFrom keeps the way open to the system's sendfile.
func (w *contentWriter) ReadFrom(r io.Reader) (int64, error) {
	return io.Copy(w.ResponseWriter, r)
}
