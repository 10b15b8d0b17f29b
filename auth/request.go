package auth

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"net/http"

	"portico/model"
)

// shortBody is the maximum size of a body that is read before the key is checked.
const shortBody = 64 << 10

// RequestCaller returns the caller of a request. Its key must be valid when the operation
// starts, that is when the body has arrived: otherwise a thief could send the headers
// first, and the body minutes after the key was revoked. Call it before the body is read.
//
// A short body is read first, so that one check is enough. A longer body, or one of unknown
// length, must not be buffered for strangers: its key is checked now and again at the end
// of the body, where reading fails with CodeUnauthenticated if the key was revoked.
func (k *Keys) RequestCaller(r *http.Request) (*model.Caller, error) {
	key := Token(r)
	if !isKey(key) {
		return nil, model.Unauthenticated()
	}
	ctx := r.Context()
	if r.ContentLength > 0 && r.ContentLength <= shortBody {
		r.Body = readAhead(r.Body)
		// A body that breaks off cancels the context too; the door reports the error.
		ctx = context.WithoutCancel(ctx)
	}
	caller, err := k.Caller(ctx, key)
	if err == nil && (r.ContentLength < 0 || r.ContentLength > shortBody) {
		r.Body = &checkedBody{ReadCloser: r.Body, check: func() error { return k.Check(r.Context(), caller) }}
	}
	return caller, err
}

// RememberedCaller is RequestCaller without a query for a key that was valid before. The caller is
// then unchecked, and the door must do what model.NewUncheckedCaller requires.
//
// A remembered key that has been revoked is found out by the first statement of the operation, or
// by CheckKey, and then forgotten.
func (k *Keys) RememberedCaller(r *http.Request) (*model.Caller, error) {
	key := Token(r)
	if !isKey(key) || r.ContentLength < 0 || r.ContentLength > shortBody {
		return k.RequestCaller(r)
	}
	hash := [sha256.Size]byte(lookup(key))
	owner, ok := k.known.ownerOf(hash)
	if !ok {
		caller, err := k.RequestCaller(r)
		if err == nil {
			k.known.add(hash, keyOwner{keyID: caller.KeyID, userID: caller.UserID})
		}
		return caller, err
	}
	if r.ContentLength > 0 {
		r.Body = readAhead(r.Body)
	}
	return model.NewUncheckedCaller(owner.userID, owner.keyID, func(ctx context.Context) error {
		valid, err := k.db.KeyIsValid(ctx, owner.keyID)
		if err == nil && !valid {
			k.known.remove(hash)
			err = model.Unauthenticated()
		}
		return err
	}), nil
}

// Check returns CodeUnauthenticated if the caller's key was revoked.
func (k *Keys) Check(ctx context.Context, caller *model.Caller) error {
	valid, err := k.db.KeyIsValid(ctx, caller.KeyID)
	if err == nil && !valid {
		return model.Unauthenticated()
	}
	return err
}

// readBody is a body that was read into memory.
type readBody struct {
	io.Closer
	content bytes.Reader
	ended   error // the error that ended the body
}

// readAhead reads the body to its end. Reading it again returns the same bytes and error.
func readAhead(body io.ReadCloser) io.ReadCloser {
	content, err := io.ReadAll(body)
	if err == nil {
		err = io.EOF
	}
	read := &readBody{Closer: body, ended: err}
	read.content.Reset(content)
	return read
}

// Read implements io.Reader.
func (b *readBody) Read(p []byte) (int, error) {
	if b.content.Len() == 0 {
		return 0, b.ended
	}
	return b.content.Read(p)
}

// checkedBody is a body whose end fails with the error of check.
type checkedBody struct {
	io.ReadCloser
	check func() error
	ended error // the error that ended the body; nil before
}

// Read implements io.Reader. It calls check once, at the end of the body.
func (b *checkedBody) Read(p []byte) (int, error) {
	if b.ended != nil {
		return 0, b.ended
	}
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) {
		if refused := b.check(); refused != nil {
			err = refused
		}
	}
	b.ended = err
	return n, err
}
