package archive

import (
	"context"
	"io"

	"portico/splat/input"
)

// Names returns the names of the files of the archive in the order of their data, without
// folders and without the files that macOS adds.
func (z *Zip) Names() []string {
	names := make([]string, len(z.files))
	for i, e := range z.files {
		names[i] = e.name
	}
	return names
}

// OpenFile returns a reader of a file, which checks the content while it is read. A name that is
// not in the archive is an *input.Error. OpenFile invalidates the reader that it returned before.
// The reader returns at most as many bytes as the directory declares.
func (z *Zip) OpenFile(ctx context.Context, name string) (io.Reader, error) {
	e := z.byName[foldCase(name)]
	if e == nil || e.name != name {
		return nil, input.Errorf(name, "is not in the archive")
	}
	return z.open(ctx, e)
}
