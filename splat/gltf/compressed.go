package gltf

import (
	"io"

	"portico/splat/folder"
	"portico/splat/input"
	"portico/splat/meshopt"
)

// compressedPart is the section with the compressed data of a buffer view (KHR_meshopt_compression,
// "JSON schema updates"). ByteStride and Count are the size and the number of the decoded elements.
// Mode is ATTRIBUTES, TRIANGLES or INDICES, and "" for Filter means NONE.
type compressedPart struct {
	part
	ByteStride integer `json:"byteStride"`
	Count      integer `json:"count"`
	Mode       string  `json:"mode"`
	Filter     string  `json:"filter"`
}

// compression returns the compressed data of the view, or nil if the view is not compressed.
func (v *bufferView) compression() *compressedPart {
	if v.Extensions.KHRMeshopt != nil {
		return v.Extensions.KHRMeshopt
	}
	return v.Extensions.Meshopt
}

// findPlaceholders sets placeholders: the buffers without data that are marked as a fallback,
// or whose views are all compressed ("Fallback buffers").
func (k *checker) findPlaceholders() {
	// A view of decoded data uses its buffer as a placeholder, and any other view needs the bytes
	// of its buffer.
	const compressed, data = 1, 2
	uses := make([]byte, len(k.Buffers))
	for i := range k.BufferViews {
		v := &k.BufferViews[i]
		if c := v.compression(); c != nil {
			uses[v.Buffer] |= compressed
			uses[c.Buffer] |= data
		} else {
			uses[v.Buffer] |= data
		}
	}
	k.placeholders = make([]bool, len(k.Buffers))
	for i := range k.Buffers {
		b := &k.Buffers[i]
		isMarked := b.Extensions.Meshopt.Fallback || b.Extensions.KHRMeshopt.Fallback
		isChunk := i == 0 && k.content.binary >= 0
		k.placeholders[i] = b.URI == "" && !isChunk && (isMarked || uses[i] == compressed)
	}
}

// data returns the file with the data of a buffer view, and the offset of the data in it.
// Compressed data is decoded when it is read.
func (b *buffers) data(index integer) (file folder.File, offset int64, err error) {
	v := &b.checker.BufferViews[index]
	compressed := v.compression()
	if compressed == nil {
		file, err = b.file(int(v.Buffer))
		return file, int64(v.ByteOffset), err
	}
	if decoded, ok := b.decoded[index]; ok {
		return decoded, 0, nil
	}
	decoded, err := b.openCompressed(index, v, compressed)
	if err != nil {
		return nil, 0, err
	}
	b.decoded[index] = decoded
	return decoded, 0, nil
}

// openCompressed opens the compressed data of a buffer view.
func (b *buffers) openCompressed(index integer, v *bufferView, c *compressedPart) (*meshopt.View, error) {
	if c.Mode != "ATTRIBUTES" {
		return nil, input.Errorf(b.checker.name, "has Gaussians that meshoptimizer compressed in the mode %s, which cannot be read", input.Quote(c.Mode)).
			Advise("Export them without compression")
	}
	layout := meshopt.Layout{Count: int64(c.Count), Stride: int(c.ByteStride), Filter: meshopt.Filter(c.Filter)}
	if err := layout.Check(); err != nil {
		return nil, b.checker.damaged("the compression of buffer view %d is wrong: %v", index, err)
	}
	// The division comes first, because the product of hostile numbers may overflow. Check has
	// refused a stride of 0.
	if c.Count > v.ByteLength/c.ByteStride || c.Count*c.ByteStride != v.ByteLength {
		return nil, b.checker.damaged("buffer view %d has %d bytes, but its compressed data has %d values of %d bytes", index, v.ByteLength, c.Count, c.ByteStride)
	}
	file, err := b.file(int(c.Buffer))
	if err != nil {
		return nil, err
	}
	stream := section{io.NewSectionReader(file, int64(c.ByteOffset), int64(c.ByteLength))}
	return meshopt.Open(stream, b.checker.name, layout)
}
