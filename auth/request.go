package auth

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"

	"portico/model"
)

// shortBody is how many bytes of a stranger's body are kept, at most.
const shortBody = 64 << 10

// RequestCaller returns who the request speaks for at the moment when its
// operation begins, which is when its body has come: a thief could send the
// headers, and the body minutes after the key was revoked. Call it before the
// body is read.
//
// A short body is read first, so that one look at the key does. A longer one, or
// one of unknown length, must not be kept for strangers: the key is looked up now
// and again at the end of the body, where reading fails with CodeUnauthenticated
// when the key is not valid any more.
func (k *Keys) RequestCaller(r *http.Request) (*model.Caller, error) {
	key := Token(r)
	if !isKey(key) {
		return nil, refused()
	}
	ctx := r.Context()
	if r.ContentLength > 0 && r.ContentLength <= shortBody {
		r.Body = readAhead(r.Body)
		// A body that ends early ends the context too; the door says what is wrong.
		ctx = context.WithoutCancel(ctx)
	}
	caller, err := k.Caller(ctx, key)
	if err == nil && (r.ContentLength < 0 || r.ContentLength > shortBody) {
		r.Body = &checkedBody{ReadCloser: r.Body, check: func() error { return k.Check(r.Context(), caller) }}
	}
	return caller, err
}

// Check returns CodeUnauthenticated when the caller's key is not valid any more.
func (k *Keys) Check(ctx context.Context, caller *model.Caller) error {
	valid, err := k.db.KeyIsValid(ctx, caller.KeyID)
	if err == nil && !valid {
		return refused()
	}
	return err
}

// readBody is a body that was read, and how reading it ended.
type readBody struct {
	io.Reader
	io.Closer
}

func readAhead(body io.ReadCloser) io.ReadCloser {
	content, err := io.ReadAll(body)
	if err == nil {
		err = io.EOF
	}
	return readBody{io.MultiReader(bytes.NewReader(content), failing{err}), body}
}

// failing is a reader that has nothing but an error.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// checkedBody ends with the error of check, if there is one.
type checkedBody struct {
	io.ReadCloser
	check func() error
	ended error // how the body ended; nil before
}

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
