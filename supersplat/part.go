package supersplat

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"portico/graph"
	"portico/internal/semaphore"
	"portico/model"
)

const (
	// stallTimeout is how long a request may send nothing.
	stallTimeout = 20 * time.Second
	// retryAfter is how long the client of a part that broke off should wait.
	retryAfter = 5 * time.Second
)

// The refusals of addresses.
var (
	errSignature = model.Forbidden("The address of the part is not valid. Ask for another one")
	errExpired   = model.Forbidden("The address of the part has expired. Ask for another one")
)

// tryAgain is the error of a part that can be stored a moment later: 503, after which clients send it
// again. It is no fault of the server.
type tryAgain string

// Error implements error.
func (e tryAgain) Error() string { return string(e) }

// address returns the address of a part, which needs no key until it expires.
func (d *door) address(uploadID string, part int, expires time.Time) string {
	number, until := strconv.Itoa(part), strconv.FormatInt(expires.Unix(), 10)
	return d.BaseURL + graph.SplatPartPath + uploadID + "/" + number + "?expires=" + until + "&signature=" + d.sign(uploadID, number, until)
}

// sign returns the signature of an address. It joins the fields by newlines, which no id and no
// number contains.
func (d *door) sign(uploadID, number, expires string) string {
	mac := hmac.New(sha256.New, d.signingKey)
	_, _ = mac.Write([]byte(strings.Join([]string{uploadID, number, expires}, "\n"))) // a hash never returns an error
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// verify returns the upload and the part of an address, or why it is refused.
func (d *door) verify(r *http.Request) (uploadID string, part int, err error) {
	uploadID, number := pathValue(r, "uploadId"), pathValue(r, "number")
	query := r.URL.Query()
	expires := query.Get("expires")
	if !hmac.Equal([]byte(query.Get("signature")), []byte(d.sign(uploadID, number, expires))) {
		return "", 0, errSignature
	}
	until, err := strconv.ParseInt(expires, 10, 64)
	if err != nil || time.Now().Unix() >= until {
		return "", 0, errExpired
	}
	part, err = strconv.Atoi(number)
	return uploadID, part, err
}

// part handles PUT of the address of a part. The signature is the key, so it comes before all other
// checks.
func (d *door) part(w http.ResponseWriter, r *http.Request) error {
	if r.Method != http.MethodPut {
		return refuseMethod(w, http.MethodPut, http.MethodOptions)
	}
	uploadID, number, err := d.verify(r)
	if err != nil {
		if limited := d.Limiter.TakeRequest(r); limited != nil {
			return limited
		}
		return err
	}
	part, err := d.Resolver.AddressedPart(r.Context(), uploadID, number)
	if err != nil {
		return err
	}
	if wait := d.refused.Take(part.UserID); wait > 0 {
		return &model.Error{Code: model.CodeRateLimited, Message: "Too many parts that were not stored", RetryAfter: wait}
	}
	if r.ContentLength >= 0 && r.ContentLength != part.Length() {
		return model.Invalidf("The body must have exactly the %d bytes of the part", part.Length())
	}
	etag, err := d.receive(w, r, part)
	if err != nil {
		return err
	}
	d.refused.Refund(part.UserID)
	w.Header().Set("ETag", quoted(etag))
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusOK)
	return nil
}

// receive stores the body as the part, and returns its ETag.
func (d *door) receive(w http.ResponseWriter, r *http.Request, part graph.ReceivingUpload) (string, error) {
	body := &partBody{body: r.Body, control: http.NewResponseController(w)}
	place, ok := d.Sending.Enter(part.UserID, 1, body.interrupt)
	if !ok {
		return "", &model.Error{Code: model.CodeRateLimited, Message: "Too many uploads at the same time", RetryAfter: stallTimeout}
	}
	defer place.Leave()
	body.place = place
	etag, err := d.Resolver.PutPart(r.Context(), part, body)
	switch {
	case err == nil:
		_ = body.control.SetReadDeadline(time.Time{}) // the server reads on, to notice that the client leaves
		return etag, nil
	case place.GaveWay():
		return "", tryAgain("Other uploads needed the place of this one, which was slow. Send the part again")
	case graph.IsOtherWriter(err):
		return "", tryAgain("Another request is sending the same part. Send it again")
	case body.failed:
		return "", tryAgain("The body broke off before the part ended. Send the part again")
	}
	return "", err
}

// partBody reads the body of a part within a deadline, and counts its progress.
type partBody struct {
	body    io.Reader
	control *http.ResponseController
	place   *semaphore.Place
	// failed reports whether the body broke off.
	failed bool
}

// interrupt ends the read of a body whose place others need.
func (b *partBody) interrupt() {
	_ = b.control.SetReadDeadline(time.Unix(1, 0)) // fails only on a closed connection
}

// Read implements io.Reader.
func (b *partBody) Read(p []byte) (int, error) {
	b.place.IfHeld(func() { _ = b.control.SetReadDeadline(time.Now().Add(stallTimeout)) }) // fails only on a closed connection
	n, err := b.body.Read(p)
	b.place.Progress(int64(n))
	if err != nil && !errors.Is(err, io.EOF) {
		b.failed = true
	}
	return n, err
}
