package folder

import (
	"context"
	"io"
)

// Reader opens the files of one capture by clean, slash-separated names relative to the folder.
// Opening a name that does not exist returns fs.ErrNotExist. The context applies to Open and, for
// remote files, to every later read. The caller closes the file.
type Reader interface {
	Open(ctx context.Context, name string) (File, error)
}

// File gives random access to one file. ReadAt is safe for concurrent use.
type File interface {
	io.ReaderAt
	io.Closer
	// Size returns the length of the file in bytes.
	Size() int64
}

// Writer stores new files under clean, slash-separated names relative to the
// folder. Callers use each name once and call Put from one goroutine at a time.
type Writer interface {
	// Put reads r to io.EOF and stores the content. r must return exactly size bytes or an
	// error; after an error the file does not exist. Put does not use r after it has returned.
	Put(ctx context.Context, name string, size int64, r io.Reader) error
}
