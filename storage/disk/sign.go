package disk

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"portico/storage"
	"portico/storage/door"
)

const (
	// signatureLabel separates the signing key from other keys that are derived from the
	// server's secret. Change it when a signature covers other fields.
	signatureLabel = "portico storage upload signature v1"
	// maxClockSkew is the maximum difference between the clocks of two processes.
	maxClockSkew = time.Minute
)

// signer signs upload addresses and verifies them.
type signer struct {
	key      []byte
	lifetime time.Duration // the maximum of addresses; 0 for any
}

// newSigner returns the signer for the server's secret. Its lifetime has no maximum.
func newSigner(secret []byte) (signer, error) {
	key, err := door.DeriveKey(secret, signatureLabel)
	if err != nil {
		return signer{}, err
	}
	return signer{key: key}, nil
}

// signedFields are the fields that a signature covers. Size and expiry are the text of the query,
// so that another notation of the same number is refused.
type signedFields struct{ method, key, contentType, size, expires string }

func signedFieldsOf(u storage.Upload) signedFields {
	return signedFields{
		method:      http.MethodPut,
		key:         u.Key,
		contentType: u.ContentType,
		size:        strconv.FormatInt(u.Size, 10),
		expires:     strconv.FormatInt(u.Expires.Unix(), 10),
	}
}

// sign returns the signature. It joins the fields by newlines, which no field can contain:
// keys and HTTP headers have no control characters, and the other fields are digits.
func (s signer) sign(fields signedFields) string {
	mac := hmac.New(sha256.New, s.key)
	// A hash never returns an error from Write.
	_, _ = mac.Write([]byte(strings.Join([]string{fields.method, fields.key, fields.contentType, fields.size, fields.expires}, "\n")))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// query returns the query of the upload address.
func (s signer) query(fields signedFields) string {
	return url.Values{
		"expires":   {fields.expires},
		"size":      {fields.size},
		"signature": {s.sign(fields)},
	}.Encode()
}

// verify returns the size that is signed in the request's address, or a refusal. It
// checks the signature first, so that the other refusals reveal nothing about addresses
// that were never issued.
func (s signer) verify(r *http.Request, key string, now time.Time) (size int64, err error) {
	query := r.URL.Query()
	fields := signedFields{r.Method, key, r.Header.Get("Content-Type"), query.Get("size"), query.Get("expires")}
	if !hmac.Equal([]byte(query.Get("signature")), []byte(s.sign(fields))) {
		return 0, errNotSigned
	}
	expires, err := strconv.ParseInt(fields.expires, 10, 64)
	if err != nil || !s.isValid(time.Unix(expires, 0).Sub(now)) {
		return 0, errExpired
	}
	size, err = strconv.ParseInt(fields.size, 10, 64)
	if err != nil || r.ContentLength >= 0 && r.ContentLength != size {
		return 0, errWrongSize
	}
	return size, nil
}

// isValid reports whether an address with this remaining lifetime works. A remaining
// lifetime above the maximum means that the clock was set back, or that the clock of the
// issuing process is ahead: such an address is refused until its lifetime is within the
// maximum.
func (s signer) isValid(left time.Duration) bool {
	return left > 0 && (s.lifetime == 0 || left <= s.lifetime+maxClockSkew)
}
