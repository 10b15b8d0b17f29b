package archive

import (
	"context"
	"io"

	"portico/splat/input"
)

// Names returns the names of the files of the archive in the order of their bytes, without folders
// and the files that macOS adds.
func (z *Zip) Names() []string {
	names := make([]string, len(z.files))
	for i, e := range z.files {
		names[i] = e.name
	}
	return names
}

// OpenFile returns the content of a file, which is checked while it is read. It invalidates the
// reader that was opened before.
func (z *Zip) OpenFile(ctx context.Context, name string) (io.Reader, error) {
	e := z.byName[foldCase(name)]
	if e == nil || e.name != name {
		return nil, input.Errorf(name, "is not in the archive")
	}
	return z.open(ctx, e)
}
