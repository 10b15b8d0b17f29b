package folder

import (
	"bytes"
	"context"
	"io"
	"io/fs"
)

// Memory is a Reader and a Writer whose files are byte slices, for small captures
// and tests.
type Memory map[string][]byte

// Open implements Reader.
func (m Memory) Open(_ context.Context, name string) (File, error) {
	content, ok := m[name]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return memoryFile{bytes.NewReader(content)}, nil
}

// Put implements Writer. A second file with the same name is fs.ErrExist.
func (m Memory) Put(_ context.Context, name string, _ int64, r io.Reader) error {
	if _, ok := m[name]; ok {
		return &fs.PathError{Op: "put", Path: name, Err: fs.ErrExist}
	}
	content, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	m[name] = content
	return nil
}

// memoryFile is an open file of a Memory.
type memoryFile struct{ *bytes.Reader }

// Close does nothing: the bytes belong to the folder.
func (memoryFile) Close() error { return nil }
