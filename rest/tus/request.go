package tus

import (
	"mime"
	"net/http"
	"strconv"

	tusd "github.com/tus/tusd/v2/pkg/handler"
)

// protocolVersion is the version of the protocol that the server speaks.
const protocolVersion = "1.0.0"

// chunkType is the media type of the bytes that PATCH sends.
const chunkType = "application/offset+octet-stream"

// Method returns the method of a request. A client that cannot send PATCH or DELETE sends another
// method, and names the right one in X-HTTP-Method-Override (tus 1.0, Core Protocol).
//
// A page of another site needs a preflight for this header, as it does for PATCH and DELETE.
func Method(r *http.Request) string {
	if method := r.Header.Get("X-HTTP-Method-Override"); method != "" {
		return method
	}
	return r.Method
}

// withMethod returns the request with the method that Method returns.
func withMethod(r *http.Request) *http.Request {
	overridden := *r
	overridden.Method = Method(r)
	return &overridden
}

// checkHeaders returns an error for headers that tus 1.0 does not permit, and for a body that is
// longer than the rest of the upload, which has this length. It brings the headers into the form
// that tusd expects.
//
// tusd itself responds to a wrong media type with 400 instead of 415, to a request that repeats the
// length of the upload with 501, and to bytes for a complete upload with 204. Its 412 lacks the
// versions of the server.
func checkHeaders(w http.ResponseWriter, r *http.Request, length int64) error {
	// A person may open the address in a browser, which does not send the header.
	if version := r.Header.Get("Tus-Resumable"); version != protocolVersion && (version != "" || r.Method != http.MethodHead) {
		w.Header().Set("Tus-Version", protocolVersion)
		return tusd.ErrUnsupportedVersion
	}
	if r.Method != http.MethodPatch {
		return nil
	}
	if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || media != chunkType {
		return tusd.NewError("", "Content-Type must be "+chunkType, http.StatusUnsupportedMediaType)
	}
	r.Header.Set("Content-Type", chunkType)
	if err := checkLength(r.Header, length); err != nil {
		return err
	}
	// tusd adds the length of the body to the offset without a check for overflow. A wrong offset is
	// a conflict, whatever the body has.
	offset, err := strconv.ParseInt(r.Header.Get("Upload-Offset"), 10, 64)
	isWithin := err == nil && offset >= 0 && offset <= length
	if r.ContentLength > length || isWithin && r.ContentLength > length-offset {
		return errTooLong
	}
	return nil
}

// checkLength removes Upload-Length from the headers of a PATCH, or returns an error if it is not
// the length of the upload. A client with a stream sends it when it has reached the end, and ours
// know the length from the start.
func checkLength(header http.Header, length int64) error {
	sent, isSent := header["Upload-Length"]
	if !isSent {
		return nil
	}
	if n, err := strconv.ParseInt(sent[0], 10, 64); err != nil || n != length || len(sent) > 1 {
		return tusd.NewError("", "Upload-Length must be the length of the upload, "+strconv.FormatInt(length, 10), http.StatusBadRequest)
	}
	header.Del("Upload-Length")
	return nil
}
