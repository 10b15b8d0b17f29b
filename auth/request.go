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

const (
	// shortBody is the maximum size of a body that is read before the door reads it.
	shortBody = 64 << 10
	// maxStart is the maximum size of what is read of a body before the key is checked.
	maxStart = 4 << 10
)

// RequestCaller returns the caller of a request. Its key must be valid when the operation
// starts, that is when the body has arrived: otherwise a thief could send the headers
// first, and the body minutes after the key was revoked. Call it before the body is read.
//
// A short body that has arrived is read first, so that one check is enough. Any other body must be
// neither buffered nor waited for before its account is known, because until then it counts as a
// stranger's: its key is checked now and again at the end of the body, where reading fails with
// CodeUnauthenticated if the key was revoked.
func (k *Keys) RequestCaller(r *http.Request) (*model.Caller, error) {
	key := Token(r)
	if !isKey(key) {
		return nil, model.Unauthenticated()
	}
	ctx, arrived := r.Context(), r.ContentLength == 0
	if r.ContentLength > 0 && r.ContentLength <= shortBody {
		arrived = readStart(r)
		// A body that breaks off cancels the context too; the door reports the error.
		ctx = context.WithoutCancel(ctx)
	}
	caller, err := k.Caller(ctx, key)
	if err == nil && !arrived {
		r.Body = &checkedBody{ReadCloser: r.Body, check: func() error { return k.Check(r.Context(), caller) }}
	}
	return caller, err
}

// RememberedCaller is RequestCaller without a query for a key that was valid before. The caller is
// then unchecked, and the door must do what model.NewUncheckedCaller requires. Only a body that
// takes its time costs a query: the key must be valid before the body counts for the account.
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
	check := func(ctx context.Context) error {
		// Without the cancellation, see RequestCaller.
		valid, err := k.db.Keys().KeyIsValid(context.WithoutCancel(ctx), owner.keyID)
		if err == nil && !valid {
			k.known.remove(hash)
			err = model.Unauthenticated()
		}
		return err
	}
	if r.ContentLength > 0 && !readStart(r) {
		if err := check(r.Context()); err != nil {
			return nil, err
		}
		model.Identify(r.Context(), owner.userID)
		r.Body = readAhead(r.Body)
	}
	return model.NewUncheckedCaller(owner.userID, owner.keyID, check), nil
}

// Check returns CodeUnauthenticated if the caller's key was revoked.
func (k *Keys) Check(ctx context.Context, caller *model.Caller) error {
	valid, err := k.db.Keys().KeyIsValid(ctx, caller.KeyID)
	if err == nil && !valid {
		return model.Unauthenticated()
	}
	return err
}

// readBody is a body whose first bytes, or all, were read into memory.
type readBody struct {
	io.ReadCloser // the rest
	content       bytes.Reader
	ended         error // the error that ended the body; nil before
}

func newReadBody(body io.ReadCloser, content []byte, ended error) *readBody {
	read := &readBody{ReadCloser: body, ended: ended}
	read.content.Reset(content)
	return read
}

// readStart reads what has arrived of the body of a request, up to maxStart, and reports whether
// this is all. Reading the body again returns the same bytes.
func readStart(r *http.Request) (arrived bool) {
	start := make([]byte, min(r.ContentLength, maxStart))
	n, err := r.Body.Read(start)
	r.Body = newReadBody(r.Body, start[:n], err)
	return int64(n) == r.ContentLength
}

// readAhead reads the body to its end. Reading it again returns the same bytes and error.
func readAhead(body io.ReadCloser) io.ReadCloser {
	content, err := io.ReadAll(body)
	if err == nil {
		err = io.EOF
	}
	return newReadBody(body, content, err)
}

// Read implements io.Reader.
func (b *readBody) Read(p []byte) (n int, err error) {
	switch {
	case b.content.Len() > 0:
		return b.content.Read(p)
	case b.ended == nil:
		n, b.ended = b.ReadCloser.Read(p)
	}
	return n, b.ended
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
