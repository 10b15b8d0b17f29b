package storage

import (
	"context"
	"errors"
	"io"
	"iter"
	"time"
)

// The errors that callers distinguish; every other error is the store's own
// trouble. They come wrapped: test with errors.Is.
var (
	// ErrNotFound says that no object has the key.
	ErrNotFound = errors.New("object not found")
	// ErrInvalidKey says that CheckKey refuses the key: no store holds it.
	ErrInvalidKey = errors.New("invalid storage key")
	// ErrFull says that there is no room for the bytes; nothing of them is kept.
	ErrFull = errors.New("storage is full")
	// ErrUnavailable says that a store elsewhere cannot be reached, refuses us, or
	// has trouble of its own: the same call may succeed once that is mended.
	ErrUnavailable = errors.New("storage is unavailable")
)

// Store keeps whole objects under keys (see CheckKey). All methods may be
// called at the same time, from several processes that share the store.
// Methods that take a key answer ErrInvalidKey for a bad one.
type Store interface {
	// PresignPut promises one upload: a request that carries exactly the
	// method, headers and size of the promise, before it expires, may write
	// the object without a key of ours. Nothing is reserved or written.
	PresignPut(ctx context.Context, u Upload) (Presigned, error)
	// TakesLate reports whether a promised upload may write its object for as long as
	// its address works, whatever has become of it: the store cannot ask who waits for
	// it. An object that was deleted may come back then.
	TakesLate() bool
	// KeyOf returns the key of a public or upload address, with or without
	// its query. It is false for any other address, and for one of ours whose
	// path is not the plain spelling of a key. The object need not exist.
	KeyOf(address string) (key string, ok bool)
	// PublicURL returns the address of the object, with no query, which serves it to
	// everyone who may read it. The key must be valid; the object need not exist yet.
	PublicURL(key string) string
	// ReadURL returns an address for somebody who may read the object: PublicURL, and
	// where objects are protected one that is signed and works for an hour or two. It
	// has no query, and holds for all objects of the same file, so that addresses
	// relative to it work.
	ReadURL(key string) string
	// Stat describes the object, or answers ErrNotFound.
	Stat(ctx context.Context, key string) (Object, error)
	// Open reads the object from its beginning, or answers ErrNotFound. The
	// caller closes the reader, which ends when ctx does.
	Open(ctx context.Context, key string) (io.ReadCloser, error)
	// OpenReaderAt reads any part of the object, for zip and other formats
	// with a directory, or answers ErrNotFound. All reads see the object as it
	// was when opened. The caller closes it.
	OpenReaderAt(ctx context.Context, key string) (r ReaderAtCloser, size int64, err error)
	// Put writes r as the object and returns its size. The object appears, or
	// replaces the one before, when all of r is safely stored; after an error,
	// of r, of ctx or of the store, nothing has changed.
	Put(ctx context.Context, key string, r io.Reader) (size int64, err error)
	// Delete removes the object; no such object is no error.
	Delete(ctx context.Context, key string) error
	// DeletePrefix removes all objects below a folder, which is named with or
	// without its final slash and never matches half a name: "a/room" does not
	// touch "a/room.zip". The empty prefix is ErrInvalidKey: nobody wants to
	// delete everything. No such object is no error.
	DeletePrefix(ctx context.Context, prefix string) error
	// List yields the objects below a folder, named as in DeletePrefix, in the
	// byte order of their keys; the empty prefix lists everything. An error is
	// yielded once, last. Objects that come and go meanwhile may be missed.
	List(ctx context.Context, prefix string) iter.Seq2[Object, error]
	// Ping answers nil when objects can be written now.
	Ping(ctx context.Context) error
}

// Upload is what a presigned PUT is bound to.
type Upload struct {
	// Key is where the bytes go.
	Key string
	// ContentType is what the client calls the bytes. A store that receives uploads
	// itself wants it to the letter; one elsewhere wants the type that it will serve.
	// Presigned.Headers has what is to be sent.
	ContentType string
	// Size is the exact number of bytes; the store takes no more and no less.
	Size int64
	// Expires is when the upload must have begun, to the second.
	Expires time.Time
}

// Presigned is the request that carries out an Upload.
type Presigned struct {
	// URL is the address with the signature in its query: a secret, never
	// logged. Without its query it is what KeyOf takes.
	URL string
	// Method is PUT.
	Method string
	// Headers must be sent as they are.
	Headers map[string]string
}

// Object describes stored bytes.
type Object struct {
	// Key names the object.
	Key string
	// Size is its length in bytes.
	Size int64
	// ContentType is MediaType of the key, whatever the upload was sent as.
	ContentType string
	// ETag is the strong validator that HTTP answers carry, with its quotes.
	// It changes when the bytes do; its form is the store's own.
	ETag string
	// ModifiedAt is when the bytes were stored, in UTC.
	ModifiedAt time.Time
}

// ReaderAtCloser is random access to one object.
type ReaderAtCloser interface {
	io.ReaderAt
	io.Closer
}
