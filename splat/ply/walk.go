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

// rows reads the rows of a file one after the other. next calls visit with the value
// of each property, and with the length for a list. No caller needs the values of a
// list, so binary rows skip them without decoding.
type rows interface {
	next(e *element, visit func(property int, value float64)) error
}

// walkBuffer is how many bytes are read at a time.
const walkBuffer = 1 << 20

// maxWord is the maximum length of a value in a text file, in bytes. No number needs a
// tenth of it.
const maxWord = 4096

// errCutOff and errNotNumber are the faults of a file that rows report.
var (
	errCutOff    = errors.New("cut off")
	errNotNumber = errors.New("text instead of a number")
)

// walk reads all rows of an element.
//
// An element whose offset is known is reached at once. Otherwise the rows before it are read and
// ignored, because only they say how long they are.
func (f *File) walk(ctx context.Context, e *element, visit func(property int, value float64)) error {
	return f.walkFirst(ctx, e, e.count, visit, nil)
}

// walkFirst reads the first rows of an element, at most count. listed is called with each value of a
// list, after visit was called with its length; nil skips them.
func (f *File) walkFirst(ctx context.Context, e *element, count int64, visit, listed func(property int, value float64)) error {
	at, known := f.header.offset(e)
	known = known && f.header.encoding != Text
	if !known {
		at = f.header.size
	}
	size := f.file.Size() - at
	data := &cancelableReader{ctx: ctx, r: io.NewSectionReader(f.file, at, size)}
	found := false // the lists of elements before are skipped
	var ofTarget func(property int, value float64)
	if listed != nil {
		ofTarget = func(property int, value float64) {
			if found {
				listed(property, value)
			}
		}
	}
	r := newRows(data, size, f.header.encoding, ofTarget)
	for i := range f.header.elements {
		before := &f.header.elements[i]
		if before == e {
			found = true
			return f.walkElement(r, e, min(count, e.count), visit)
		}
		if !known {
			if err := f.walkElement(r, before, before.count, func(int, float64) {}); err != nil {
				return err
			}
		}
	}
	return nil
}

// walkElement reads rows of the next element. Its errors name the row, which a
// user can find in a text file.
func (f *File) walkElement(r rows, e *element, count int64, visit func(property int, value float64)) error {
	for i := range count {
		err := r.next(e, visit)
		switch {
		case err == nil:
		case errors.Is(err, errCutOff):
			return input.CutOff(f.name, "it ends in row %d of %d of element %s", i+1, e.count, input.Quote(e.name))
		case errors.Is(err, errNotNumber):
			return input.Damaged(f.name, "row %d of %d of element %s has text instead of a number", i+1, e.count, input.Quote(e.name))
		default:
			return fmt.Errorf("read PLY element %s: %w", e.name, err)
		}
	}
	return nil
}

// cancelableReader returns the error of a canceled context, so that a walk also stops
// within a list of gigabytes.
type cancelableReader struct {
	ctx context.Context //nolint:containedctx // of one walk
	r   io.Reader
}

// Read implements io.Reader.
func (c *cancelableReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}

// newRows returns a reader of the rows in r, which has size bytes. The buffer is no
// larger than the data, which is often a small mesh.
func newRows(r io.Reader, size int64, encoding Encoding, listed func(property int, value float64)) rows {
	if encoding == Text {
		words := bufio.NewScanner(r)
		// A limit, because a word may otherwise be as long as the file.
		words.Buffer(make([]byte, 64<<10), 64<<10)
		words.Split(bufio.ScanWords)
		return textRows{words, listed}
	}
	order := binary.ByteOrder(binary.LittleEndian)
	if encoding == BigEndian {
		order = binary.BigEndian
	}
	return &binaryRows{bufio.NewReaderSize(r, int(min(size, walkBuffer))), order, listed}
}

// binaryRows reads a binary file. Its errors are errCutOff or failures to read; every
// bit pattern is a value.
type binaryRows struct {
	r     *bufio.Reader
	order binary.ByteOrder
	// listed is called with each value of a list, after its length; nil skips them.
	listed func(property int, value float64)
}

// next implements rows. It skips lists by their length; a length beyond the end of the
// file is errCutOff.
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
		length = max(length, 0) // its type may be signed
		visit(i, length)
		if b.listed != nil {
			for range int64(length) {
				v, err := b.value(p.scalar)
				if err != nil {
					return err
				}
				b.listed(i, v)
			}
			continue
		}
		// 2^32 values of 8 bytes fit into an int.
		if _, err := b.r.Discard(int(length) * int(p.scalar.size())); err != nil {
			return cutOffAtEOF(err)
		}
	}
	return nil
}

func (b *binaryRows) value(s scalar) (float64, error) {
	bytes, err := b.r.Peek(int(s.size()))
	if err != nil {
		return 0, cutOffAtEOF(err)
	}
	v := s.value(bytes, b.order)
	_, err = b.r.Discard(len(bytes))
	return v, err
}

// cutOffAtEOF replaces io.EOF by errCutOff: the header promises the bytes, so a file that ends
// before them is cut off.
func cutOffAtEOF(err error) error {
	if err == io.EOF {
		return errCutOff
	}
	return err
}

// textRows reads a text file. Values are words; line ends are spaces.
type textRows struct {
	words *bufio.Scanner
	// listed is as in binaryRows.
	listed func(property int, value float64)
}

// next implements rows. It parses the values of lists too: a word that is not a number
// among them would shift everything after it.
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
			return errNotNumber
		}
		visit(i, v)
		for range int64(v) {
			v, err := t.value()
			if err != nil {
				return err
			}
			if t.listed != nil {
				t.listed(i, v)
			}
		}
	}
	return nil
}

// value reads one word. Like other readers it accepts values that the type of their
// property cannot hold.
func (t textRows) value() (float64, error) {
	if !t.words.Scan() {
		err := t.words.Err()
		switch {
		case err == nil:
			return 0, errCutOff
		case errors.Is(err, bufio.ErrTooLong):
			return 0, errNotNumber
		}
		return 0, err
	}
	word := t.words.Bytes()
	// ParseFloat accepts underscores in some numbers; PLY has none.
	if len(word) > maxWord || bytes.IndexByte(word, '_') >= 0 {
		return 0, errNotNumber
	}
	// ParseFloat reads "nan" and "inf" too, as C programs print them. Values out of
	// range become infinite.
	v, err := strconv.ParseFloat(string(word), 64)
	if err != nil && !math.IsInf(v, 0) {
		return 0, errNotNumber
	}
	return v, nil
}
