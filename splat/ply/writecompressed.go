package ply

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"portico/splat/gaussian"
)

// The sizes of rows of a compressed file, in bytes.
const (
	rangesSize = 4 * len(ranges{})
	packedSize = 16
)

// WriteCompressed writes the finest level as SuperSplat's compressed PLY: 16 bytes for
// each Gaussian, and one for each coefficient of its harmonics, up to degree 3. It needs
// a file that it can write to in any place, because the parts of a Gaussian are in three
// elements. A source without Gaussians is an *input.Error.
func WriteCompressed(ctx context.Context, source gaussian.Source, to io.WriterAt, o WriteOptions) (Written, error) {
	source = gaussian.LimitDegree(source, maxWrittenDegree)
	// Neighbours in space share a chunk, so that its ranges are narrow.
	all, err := selectAll(ctx, source, gaussian.MortonOrder)
	if err != nil {
		return Written{}, err
	}
	w := &compressedWriter{to: to, harmonics: 3 * gaussian.Coefficients(source.Degree())}
	if err := w.writeHeader(all.Len(), o.Model); err != nil {
		return Written{}, err
	}
	err = all.Each(ctx, func(first int, c *gaussian.Cloud) error {
		err := w.write(first, c)
		o.report(first+c.Len(), all.Len())
		return err
	})
	return describe(all, source.Degree()), err
}

// compressedWriter writes the rows of the elements at their offsets.
type compressedWriter struct {
	to io.WriterAt
	// harmonics is the number of coefficients of a Gaussian.
	harmonics int
	// The offsets of the elements in the file.
	chunksAt, verticesAt, harmonicsAt int64
}

// writeHeader writes the header of a file with n Gaussians and sets the offsets.
func (w *compressedWriter) writeHeader(n int, model Model) error {
	chunks := (n + chunkSize - 1) / chunkSize
	vertices := fmt.Appendf(nil, "element vertex %d\n", n)
	for _, name := range []string{"packed_position", "packed_rotation", "packed_scale", "packed_color"} {
		vertices = fmt.Appendf(vertices, "property uint %s\n", name)
	}
	elements := []string{rowElement("chunk", chunks, rangeProperties), string(vertices)}
	if w.harmonics > 0 {
		element := fmt.Appendf(nil, "element sh %d\n", n)
		for i := range w.harmonics {
			element = fmt.Appendf(element, "property uchar f_rest_%d\n", i)
		}
		elements = append(elements, string(element))
	}
	var header bytes.Buffer
	// Writes to a bytes.Buffer do not fail. The format has no place for discs: their
	// third scale is packed like any other.
	_ = writeHeader(&header, model, elements...)
	w.chunksAt = int64(header.Len())
	w.verticesAt = w.chunksAt + int64(chunks)*int64(rangesSize)
	w.harmonicsAt = w.verticesAt + int64(n)*packedSize
	_, err := w.to.WriteAt(header.Bytes(), 0)
	return err
}

// write writes a block of whole chunks, or the last ones.
func (w *compressedWriter) write(first int, c *gaussian.Cloud) error {
	var chunks, vertices, harmonics []byte
	for at := 0; at < c.Len(); at += chunkSize {
		end := min(at+chunkSize, c.Len())
		r := packRanges(c, at, end)
		for _, v := range r {
			chunks = binary.LittleEndian.AppendUint32(chunks, math.Float32bits(v))
		}
		for i := at; i < end; i++ {
			vertices = packGaussian(vertices, c, i, &r)
		}
	}
	for _, v := range c.Harmonics {
		harmonics = append(harmonics, packHarmonic(v))
	}
	for _, part := range []struct {
		rows []byte
		at   int64
	}{
		{chunks, w.chunksAt + int64(first/chunkSize)*int64(rangesSize)},
		{vertices, w.verticesAt + int64(first)*packedSize},
		{harmonics, w.harmonicsAt + int64(first)*int64(w.harmonics)},
	} {
		if _, err := w.to.WriteAt(part.rows, part.at); err != nil {
			return err
		}
	}
	return nil
}
