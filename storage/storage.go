package storage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"

	"portico/model"
)

// The errors that callers distinguish; every other error is internal to the
// store. They are wrapped: test with errors.Is.
var (
	// ErrNotFound means that no object has the key.
	ErrNotFound = errors.New("object not found")
	// ErrIncomplete means that the number of stored bytes is not the size of the object, or that
	// more may arrive at this moment.
	ErrIncomplete = errors.New("object is incomplete")
	// ErrInvalidKey means that CheckKey refuses the key.
	ErrInvalidKey = errors.New("invalid storage key")
	// ErrOffset means that the offset is not the number of bytes that are stored so far.
	ErrOffset = errors.New("a different number of bytes is stored")
	// ErrOtherAppend is an error of the reader of Append and AppendPart. It means that another call
	// may append to the key, so this one must store nothing more.
	ErrOtherAppend = errors.New("another call may append to the object")
	// ErrFull means that there is no room for the bytes. Put stores none of them; Append and
	// AppendPart keep what they have stored.
	ErrFull = errors.New("storage is full")
	// ErrUnavailable means that a remote store cannot be reached, refuses our requests or
	// fails: the same call may succeed later.
	ErrUnavailable = errors.New("storage is unavailable")
)

// MaxLinksOfURL is the maximum number of share links in the address of LinkURL.
const MaxLinksOfURL = 8

// Store stores complete objects under keys (see CheckKey). All methods may be called concurrently,
// even by several processes that share the store. Methods that take a key return ErrInvalidKey for
// an invalid one.
type Store interface {
	// PresignPut issues the address of one upload: before it expires, a request with exactly the
	// method, headers and size of the upload may write the object without an API key. PresignPut
	// reserves and writes nothing.
	PresignPut(ctx context.Context, u Upload) (Presigned, error)
	// AcceptsLateUploads reports whether an upload may write its object as long as its address
	// works, even after it was confirmed or discarded, because the store does not know its
	// state. A deleted object may then come back.
	AcceptsLateUploads() bool
	// KeyOf returns the key of a public or upload address, with or without its query. It
	// returns false for any other address, and for one of the store whose path is not the
	// only valid form of a key. The object need not exist.
	KeyOf(address string) (key string, ok bool)
	// PublicURL returns the address of the object, without a query, for everyone who may
	// read it. The key must be valid; the object need not exist yet.
	PublicURL(key string) string
	// ReadURL returns an address for a client that may read the object: PublicURL, or for
	// protected objects a signed address that works for one to two hours, or until the version
	// of the account changes (disk.Options.KeyVersion). It has no query and is valid for all
	// objects of the same file, so that relative addresses work.
	ReadURL(ctx context.Context, key string) (string, error)
	// LinkURL returns an address for a client that has entered spaces by these share links, of which it
	// uses at most MaxLinksOfURL. Who may read the object at this address is decided
	// when it is used: it works while a link is open whose space shows the object.
	LinkURL(key string, links []string) string
	// Stat returns the description of the object, or ErrNotFound.
	Stat(ctx context.Context, key string) (Object, error)
	// Open returns a reader of the whole object, or ErrNotFound. The reader fails when ctx
	// ends. The caller closes it.
	Open(ctx context.Context, key string) (io.ReadCloser, error)
	// OpenReaderAt returns a reader of any part of the object, for zip and other formats
	// with a directory, or ErrNotFound. All reads see the object as it was when it was
	// opened. The caller closes it.
	OpenReaderAt(ctx context.Context, key string) (r ReaderAtCloser, size int64, err error)
	// Put stores the bytes of r as the object, replaces an earlier object, and returns the
	// size. Readers see the object once all bytes are stored safely. After an error, of r,
	// of ctx or of the store, nothing has changed.
	Put(ctx context.Context, key string, r io.Reader) (size int64, err error)
	// Append stores the bytes of r as the next bytes of an object that arrives in pieces, after
	// the first offset bytes, and returns how many bytes it has stored. These remain stored
	// after an error. ErrOffset means that not exactly offset bytes are stored. The caller
	// ensures that only one Append of a key runs at a time. The object is not visible before
	// Assemble.
	Append(ctx context.Context, key string, offset int64, r io.Reader) (int64, error)
	// Appended returns how many bytes of the object are stored by Append.
	Appended(ctx context.Context, key string) (int64, error)
	// Assemble makes the bytes of Append the object. It returns ErrIncomplete if there are not
	// exactly size bytes, or if another call appends at the same time, and ErrNotFound if nothing
	// was appended or all was deleted. It may be repeated: nil means that the object is there.
	Assemble(ctx context.Context, key string, size int64) error
	// StartParts prepares an object whose parts arrive at the same time. It may be repeated.
	StartParts(ctx context.Context, key string) error
	// AppendPart is Append for a part of an object of StartParts: offset counts from the start of
	// the part. It returns ErrNotFound before StartParts. The caller makes sure that there is one
	// AppendPart of a part at a time, and that each part starts at a multiple of
	// model.UploadPartUnit.
	AppendPart(ctx context.Context, key string, part model.UploadPart, offset int64, r io.Reader) (int64, error)
	// PutPart stores the next part.Size bytes of r as the whole part of an object of StartParts, in
	// place of what the part had. It returns ErrNotFound before StartParts. After an error the part
	// may have some of the bytes, and some of those before. The caller makes sure that nothing else
	// writes the part.
	PutPart(ctx context.Context, key string, part model.UploadPart, r io.Reader) error
	// AppendedPart is Appended for a part of an object. After a crash it may report fewer bytes
	// than were appended, but never bytes that are lost.
	AppendedPart(ctx context.Context, key string, part model.UploadPart) (int64, error)
	// AssembleParts is Assemble for all parts of an object, at least one, in their order. No byte
	// is copied.
	AssembleParts(ctx context.Context, key string, parts []model.UploadPart) error
	// Delete removes the object, and the bytes of Append and AppendPart. Deleting a missing object
	// succeeds.
	Delete(ctx context.Context, key string) error
	// DeletePrefix removes all objects below a folder, which is named with or without its final
	// slash and never matches a part of a name: "a/room" does not touch "a/room.zip". The empty
	// prefix is ErrInvalidKey, so that a mistake does not delete everything. A missing folder is
	// not an error.
	DeletePrefix(ctx context.Context, prefix string) error
	// List yields the objects below a folder, named as in DeletePrefix, in the byte order
	// of their keys; the empty prefix lists all objects. An error is yielded once, at the
	// end. Objects that are added or deleted meanwhile may be missed.
	List(ctx context.Context, prefix string) iter.Seq2[Object, error]
	// Ping returns nil if objects can be written now.
	Ping(ctx context.Context) error
}

// Local is a Store whose objects are files of this machine. It saves a copy for programs
// that need a path.
type Local interface {
	Store
	// LocalPath returns the absolute path of the object's file, or ErrNotFound. The objects
	// of one folder are files of one folder. The file is the object itself: only read it.
	// It may be deleted or replaced at any time; an open file keeps its content.
	LocalPath(ctx context.Context, key string) (string, error)
}

// Upload describes the request that a presigned PUT allows.
type Upload struct {
	// Key is the key of the object.
	Key string
	// ContentType is the type that the client states for the bytes. A store that receives
	// uploads itself requires exactly this type; a remote store requires the type with
	// which it serves the object. Send the type in Presigned.Headers.
	ContentType string
	// Size is the exact number of bytes.
	Size int64
	// Expires is the time by which the upload must start, in whole seconds.
	Expires time.Time
}

// Check returns an error for an upload that no client could send.
func (u Upload) Check() error {
	if !isPortableHeader(u.ContentType) {
		return fmt.Errorf("content type %q cannot be sent", u.ContentType)
	}
	if u.Size < 0 {
		return fmt.Errorf("size %d is negative", u.Size)
	}
	return nil
}

// isPortableHeader reports whether a header value is visible ASCII without space around it. Clients
// send other values in different forms.
func isPortableHeader(value string) bool {
	strange := func(r rune) bool { return r < ' ' || r > '~' }
	return value != "" && strings.TrimSpace(value) == value && !strings.ContainsFunc(value, strange)
}

// Presigned is the request for an Upload.
type Presigned struct {
	// URL is the address with the signature in its query: a secret, never logged. Without
	// its query it is an address for KeyOf.
	URL string
	// Method is PUT.
	Method string
	// Headers must be sent unchanged.
	Headers map[string]string
}

// Object describes a stored object.
type Object struct {
	// Key names the object.
	Key string
	// Size is its length in bytes.
	Size int64
	// ContentType is MediaType of the key, whatever the type of the upload was.
	ContentType string
	// ETag is the strong validator for HTTP responses, with its quotes. It changes when the
	// bytes do; its form differs between stores.
	ETag string
	// ModifiedAt is the time at which the bytes were stored, in UTC.
	ModifiedAt time.Time
}

// ReaderAtCloser reads any part of one object.
type ReaderAtCloser interface {
	io.ReaderAt
	io.Closer
}

// CheckAssembled returns nil if an earlier Assemble made the object.
func CheckAssembled(ctx context.Context, s Store, key string, size int64) error {
	object, err := s.Stat(ctx, key)
	if err == nil && object.Size != size {
		return fmt.Errorf("assemble %s of %d bytes: %w", key, size, ErrIncomplete)
	}
	return err
}
