package ply

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"portico/splat/input"
)

// rows reads the rows of a file one after the other. It visits the values of a row
// by the place of their property; of a list it visits the length.
type rows interface {
	next(e *element, visit func(property int, value float64)) error
}

// maxWord bounds a value in a text file, in bytes. No number needs a tenth of it.
const maxWord = 4096

// errCutOff and errWord are what rows find wrong with a file.
var (
	errCutOff = errors.New("is cut off")
	errWord   = errors.New("has text where a number must be")
)

// walk reads all rows of an element. Nothing before it is read when that has a
// fixed size.
func (f *File) walk(ctx context.Context, e *element, visit func(property int, value float64)) error {
	at, known := f.header.offset(e)
	known = known && f.header.encoding != Text
	if !known {
		at = f.header.size
	}
	size := f.file.Size() - at
	data := &cancelled{ctx: ctx, r: io.NewSectionReader(f.file, at, size)}
	r := newRows(data, size, f.header.encoding)
	for i := range f.header.elements {
		before := &f.header.elements[i]
		if before == e {
			return f.walkElement(r, e, visit)
		}
		if !known {
			if err := f.walkElement(r, before, func(int, float64) {}); err != nil {
				return err
			}
		}
	}
	return nil
}

// walkElement reads all rows of the element that comes next. Its errors name the row,
// which is what a user can look for in a text file.
func (f *File) walkElement(r rows, e *element, visit func(property int, value float64)) error {
	for i := range e.count {
		err := r.next(e, visit)
		switch {
		case err == nil:
		case errors.Is(err, errCutOff), errors.Is(err, errWord):
			return input.Errorf(f.name, "%s: row %d of the %d of element %s", err, i+1, e.count, input.Quote(e.name))
		default:
			return fmt.Errorf("read PLY element %s: %w", e.name, err)
		}
	}
	return nil
}

// cancelled is a reader that ends with the context, also within a list of gigabytes.
type cancelled struct {
	ctx context.Context //nolint:containedctx // of one walk
	r   io.Reader
}

// Read implements io.Reader.
func (c *cancelled) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}

// newRows returns a reader of rows that begin where r does, with size bytes in all.
func newRows(r io.Reader, size int64, encoding Encoding) rows {
	if encoding == Text {
		words := bufio.NewScanner(r)
		words.Buffer(make([]byte, 64<<10), 64<<10)
		words.Split(bufio.ScanWords)
		return textRows{words}
	}
	order := binary.ByteOrder(binary.LittleEndian)
	if encoding == BigEndian {
		order = binary.BigEndian
	}
	return &binaryRows{bufio.NewReaderSize(r, int(min(size, blockSize))), order}
}

// binaryRows reads a binary file. What it returns is errCutOff or a failure of the
// medium: every pattern of bits is a value.
type binaryRows struct {
	r     *bufio.Reader
	order binary.ByteOrder
}

// next implements rows. Lists are skipped by their length, which the end of the file
// bounds.
func (b *binaryRows) next(e *element, visit func(int, float64)) error {
	for i := range e.properties {
		p := &e.properties[i]
		if p.length == 0 {
			v, err := b.value(p.scalar)
			if err != nil {
				return err
			}
			visit(i, v)
			continue
		}
		length, err := b.value(p.length)
		if err != nil {
			return err
		}
		length = max(length, 0) // of a type with a sign
		visit(i, length)
		if _, err := b.r.Discard(int(length) * int(p.scalar.size())); err != nil {
			return orCutOff(err)
		}
	}
	return nil
}

// value reads one value of a type.
func (b *binaryRows) value(s scalar) (float64, error) {
	bytes, err := b.r.Peek(int(s.size()))
	if err != nil {
		return 0, orCutOff(err)
	}
	v := s.value(bytes, b.order)
	_, err = b.r.Discard(len(bytes))
	return v, err
}

// orCutOff tells the end of the file from a failure to read it.
func orCutOff(err error) error {
	if err == io.EOF {
		return errCutOff
	}
	return err
}

// textRows reads a text file. Values are words, wherever its lines end.
type textRows struct{ words *bufio.Scanner }

// next implements rows. The values of lists are read too: a word among them would put
// all that follows in the wrong place.
func (t textRows) next(e *element, visit func(int, float64)) error {
	for i := range e.properties {
		v, err := t.value()
		if err != nil {
			return err
		}
		if e.properties[i].length == 0 {
			visit(i, v)
			continue
		}
		if v < 0 || v > math.MaxUint32 || v != math.Trunc(v) {
			return errWord
		}
		visit(i, v)
		for range int64(v) {
			if _, err := t.value(); err != nil {
				return err
			}
		}
	}
	return nil
}

// value reads one word. What is beyond the type of its property is taken as it is,
// as other readers do.
func (t textRows) value() (float64, error) {
	if !t.words.Scan() {
		err := t.words.Err()
		switch {
		case err == nil:
			return 0, errCutOff
		case errors.Is(err, bufio.ErrTooLong):
			return 0, errWord
		}
		return 0, err
	}
	word := t.words.Bytes()
	if len(word) > maxWord || bytes.IndexByte(word, '_') >= 0 {
		return 0, errWord
	}
	v, err := strconv.ParseFloat(string(word), 64)
	if err != nil && !math.IsInf(v, 0) { // out of range is infinite, and judged as that
		return 0, errWord
	}
	return v, nil
}
