package gltf

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"portico/splat/folder"
	"portico/splat/input"
)

// The binary container (section 4). Its numbers are little-endian.
const (
	glbMagic   = "glTF"
	glbHeader  = 12 // bytes: magic, version, length
	chunkSize  = 8  // bytes: length, type
	chunkJSON  = 0x4e4f534a
	chunkBIN   = 0x004e4942
	maxChunks  = 1024
	glbVersion = 2
)

// content is a file taken apart: the JSON as it is, and how much there is besides.
type content struct {
	json []byte
	// binary is the length of the BIN chunk in bytes, -1 without one.
	binary int64
	glb    bool // by its magic number; names say nothing
}

// read opens a file and takes it apart. The data of a BIN chunk is not read.
func read(ctx context.Context, files folder.Reader, name string) (_ *content, err error) {
	file, err := files.Open(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", name, err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	head := make([]byte, min(glbHeader, file.Size()))
	if err := readAt(file, head, 0); err != nil {
		return nil, err
	}
	if bytes.HasPrefix(head, []byte(glbMagic)) {
		return readGLB(ctx, file, head, name)
	}
	c := &content{binary: -1}
	c.json, err = readJSON(file, 0, file.Size(), name)
	return c, err
}

// readJSON reads a part of a file as a whole. Its size is bounded before memory is taken.
func readJSON(file folder.File, offset, size int64, name string) ([]byte, error) {
	if size > MaxJSON {
		return nil, input.Errorf(name, "has JSON of %d bytes; at most %d can be read", size, MaxJSON)
	}
	b := make([]byte, size)
	return b, readAt(file, b, offset)
}

// readGLB walks through the chunks. Those of unknown types are skipped, as the
// format demands.
func readGLB(ctx context.Context, file folder.File, head []byte, name string) (*content, error) {
	if err := checkHeader(head, file.Size(), name); err != nil {
		return nil, err
	}
	c := &content{binary: -1, glb: true}
	at := int64(glbHeader)
	for i := 0; at < file.Size(); i++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		length, kind, err := readChunk(file, at, i, name)
		if err != nil {
			return nil, err
		}
		at += chunkSize
		switch {
		case (i == 0) != (kind == chunkJSON):
			return nil, input.Errorf(name, "is damaged: its first chunk, and no other, must be JSON")
		case i == 0:
			if c.json, err = readJSON(file, at, length, name); err != nil {
				return nil, err
			}
		case i == 1 && kind == chunkBIN:
			c.binary = length
		}
		at += length
	}
	if c.json == nil {
		return nil, input.Errorf(name, "is damaged: it has no JSON")
	}
	return c, nil
}

// checkHeader checks the header of a GLB file. Its length is that of the file: GLB has no
// place for anything behind it.
func checkHeader(head []byte, size int64, name string) error {
	if len(head) < glbHeader {
		return input.Errorf(name, "is cut off within its GLB header")
	}
	version, length := binary.LittleEndian.Uint32(head[4:]), int64(binary.LittleEndian.Uint32(head[8:]))
	switch {
	case version != glbVersion:
		return input.Errorf(name, "is GLB of version %d; version %d can be read", version, glbVersion)
	case length > size:
		return input.Errorf(name, "is cut off: its header makes it %d bytes, it has %d", length, size)
	case length < size:
		return input.Errorf(name, "is too long: its header makes it %d bytes, it has %d", length, size)
	}
	return nil
}

// readChunk reads the length and the type of the i-th chunk, which must lie within
// the file.
func readChunk(file folder.File, at int64, i int, name string) (length int64, kind uint32, err error) {
	left := file.Size() - at - chunkSize
	if left < 0 {
		return 0, 0, input.Errorf(name, "is damaged: its chunk %d is cut off", i+1)
	}
	var b [chunkSize]byte
	if err := readAt(file, b[:], at); err != nil {
		return 0, 0, err
	}
	length, kind = int64(binary.LittleEndian.Uint32(b[:])), binary.LittleEndian.Uint32(b[4:])
	switch {
	case length > left:
		return 0, 0, input.Errorf(name, "is damaged: its chunk %d of %d bytes is cut off", i+1, length)
	case i >= maxChunks:
		return 0, 0, input.Errorf(name, "has more than %d chunks", maxChunks)
	}
	return length, kind, nil
}

// readAt fills b. A file that is shorter than its size is no fault of the user's.
func readAt(file io.ReaderAt, b []byte, offset int64) error {
	n, err := file.ReadAt(b, offset)
	if n == len(b) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("read glTF at %d: %w", offset, err)
}
