package storage

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	// signatureLabel makes the signing key useless for anything else that is
	// derived from the server's secret. A change of what is signed changes it.
	signatureLabel = "portico storage upload signature v1"
	// minSecretBytes is where guessing a secret stops being an attack.
	minSecretBytes = 16
	// skew is how far the clocks of two processes may be apart.
	skew = time.Minute
)

// signer makes and checks the signatures of upload addresses.
type signer struct {
	key      []byte
	lifetime time.Duration // of addresses, at most; 0 for any
}

func newSigner(secret []byte) (signer, error) {
	if len(secret) < minSecretBytes {
		return signer{}, fmt.Errorf("secret has %d bytes, needs %d", len(secret), minSecretBytes)
	}
	key, err := hkdf.Key(sha256.New, secret, nil, signatureLabel, sha256.Size)
	if err != nil {
		return signer{}, fmt.Errorf("derive signing key: %w", err)
	}
	return signer{key: key}, nil
}

// promise is what a signature covers. Size and expiry are the text of the
// query, not its value: a second notation of the same number is refused too.
type promise struct{ method, key, contentType, size, expires string }

func promiseOf(u Upload) promise {
	return promise{
		method:      http.MethodPut,
		key:         u.Key,
		contentType: u.ContentType,
		size:        strconv.FormatInt(u.Size, 10),
		expires:     strconv.FormatInt(u.Expires.Unix(), 10),
	}
}

// sign joins the fields by newlines, which none of them can contain: keys have
// no controls, nor do HTTP headers, and the rest is digits.
func (s signer) sign(p promise) string {
	mac := hmac.New(sha256.New, s.key)
	// A hash never returns an error from Write.
	_, _ = mac.Write([]byte(strings.Join([]string{p.method, p.key, p.contentType, p.size, p.expires}, "\n")))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// query returns the query of the upload address.
func (s signer) query(p promise) string {
	return url.Values{
		"expires":   {p.expires},
		"size":      {p.size},
		"signature": {s.sign(p)},
	}.Encode()
}

// verify returns the size that the request's address promises, or the refusal.
// The signature is looked at first, so that nobody learns from the other
// refusals anything about an address that was never issued.
func (s signer) verify(r *http.Request, key string, now time.Time) (size int64, err error) {
	query := r.URL.Query()
	p := promise{r.Method, key, r.Header.Get("Content-Type"), query.Get("size"), query.Get("expires")}
	if !hmac.Equal([]byte(query.Get("signature")), []byte(s.sign(p))) {
		return 0, refuse(http.StatusForbidden, messageNotSigned)
	}
	expires, err := strconv.ParseInt(p.expires, 10, 64)
	if err != nil || !s.alive(time.Unix(expires, 0).Sub(now)) {
		return 0, refuse(http.StatusForbidden, messageExpired)
	}
	size, err = strconv.ParseInt(p.size, 10, 64)
	if err != nil || r.ContentLength >= 0 && r.ContentLength != size {
		return 0, refuse(http.StatusForbidden, messageWrongSize)
	}
	return size, nil
}

// alive reports whether an address with so much time left still works. One with more
// left than any is given was given out before the clock was put back, or by one
// that is ahead: it lives no longer for it.
func (s signer) alive(left time.Duration) bool {
	return left > 0 && (s.lifetime == 0 || left <= s.lifetime+skew)
}
