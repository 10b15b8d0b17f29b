package gltf

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"portico/splat/folder"
	"portico/splat/input"
)

// The binary container (section 4), whose numbers are little-endian.
//
// The layout of a GLB:
//
//	 0  u32  magic, "glTF"
//	 4  u32  version, 2
//	 8  u32  length of the file in bytes
//	12  chunks
//
// and of a chunk, whose length is a multiple of four:
//
//	0  u32  length of the data in bytes
//	4  u32  type: JSON for the first chunk, BIN for the second
//	8  data; JSON is padded with spaces, and BIN with zeros
const (
	glbMagic   = "glTF"
	glbHeader  = 12 // bytes: magic, version, length
	chunkSize  = 8  // bytes: length, type
	chunkJSON  = 0x4e4f534a
	chunkBIN   = 0x004e4942
	maxChunks  = 1024 // two are usual, and each needs a read
	glbVersion = 2
)

// content is the JSON of a file and the size of its binary data.
type content struct {
	json []byte
	// binary is the length of the BIN chunk in bytes, -1 without a chunk. binaryAt is the chunk's
	// offset in the file.
	binary, binaryAt int64
	glb              bool // the file is a GLB by its first bytes, whatever its name is
}

// read opens a file and returns its content. It does not read the BIN chunk.
func read(ctx context.Context, files folder.Reader, name string) (_ *content, err error) {
	file, err := files.Open(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", name, err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	head := make([]byte, min(glbHeader, file.Size()))
	if err := folder.ReadFull(file, head, 0); err != nil {
		return nil, err
	}
	// The magic number decides and not the extension, because users rename files.
	if bytes.HasPrefix(head, []byte(glbMagic)) {
		return readGLB(ctx, file, head, name)
	}
	c := &content{binary: -1}
	c.json, err = readJSON(file, 0, file.Size(), name)
	return c, err
}

// readJSON reads a section of a file. It checks the size before it allocates memory.
func readJSON(file folder.File, offset, size int64, name string) ([]byte, error) {
	if size > MaxJSON {
		return nil, input.Errorf(name, "has JSON of %d bytes; at most %d can be read", size, MaxJSON).Advise("Export the model in parts")
	}
	b := make([]byte, size)
	return b, folder.ReadFull(file, b, offset)
}

// readGLB reads the chunks. It skips unknown types, as section 4.4.1 requires.
func readGLB(ctx context.Context, file folder.File, head []byte, name string) (*content, error) {
	if err := checkHeader(head, file.Size(), name); err != nil {
		return nil, err
	}
	c := &content{binary: -1, glb: true}
	// A BIN chunk may have gigabytes, so only headers and JSON are read.
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
			return nil, input.Damaged(name, "its first chunk, and no other, must be JSON")
		case i == 0:
			if c.json, err = readJSON(file, at, length, name); err != nil {
				return nil, err
			}
		// Only the second chunk can be the binary buffer (section 4.4.3.3).
		case i == 1 && kind == chunkBIN:
			c.binary, c.binaryAt = length, at
		}
		at += length
	}
	if c.json == nil {
		return nil, input.Damaged(name, "it has no JSON")
	}
	return c, nil
}

// checkHeader checks the header of a GLB file. Its length must be the length of the
// file (section 4.4.2).
func checkHeader(head []byte, size int64, name string) error {
	if len(head) < glbHeader {
		return input.CutOff(name, "it ends within its GLB header")
	}
	version, length := binary.LittleEndian.Uint32(head[4:]), int64(binary.LittleEndian.Uint32(head[8:]))
	switch {
	case version != glbVersion:
		return input.Errorf(name, "is GLB version %d; version %d can be read", version, glbVersion).Advise("Export it as glTF 2.0")
	case length > size:
		return input.CutOff(name, "it has %d bytes, and its header requires %d", size, length)
	case length < size:
		return input.Damaged(name, "it has %d bytes, and its header requires %d", size, length)
	}
	return nil
}

// readChunk reads the length and the type of the i-th chunk, which must be within the
// file.
func readChunk(file folder.File, at int64, i int, name string) (length int64, kind uint32, err error) {
	// No sum overflows, because sizes have 32 bits and offsets 64.
	left := file.Size() - at - chunkSize
	if left < 0 {
		return 0, 0, input.Damaged(name, "its chunk %d is cut off", i+1)
	}
	var b [chunkSize]byte
	if err := folder.ReadFull(file, b[:], at); err != nil {
		return 0, 0, err
	}
	length, kind = int64(binary.LittleEndian.Uint32(b[:])), binary.LittleEndian.Uint32(b[4:])
	switch {
	case length > left:
		return 0, 0, input.Damaged(name, "its chunk %d of %d bytes is cut off", i+1, length)
	case i >= maxChunks:
		return 0, 0, input.Errorf(name, "has more than %d chunks", maxChunks).Advise("Export the model again")
	}
	return length, kind, nil
}
