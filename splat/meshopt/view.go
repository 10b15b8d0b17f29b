package meshopt

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"portico/splat/folder"
	"portico/splat/input"
)

// Layout describes the decoded data.
type Layout struct {
	// Count is the number of elements, and Stride the size of each in bytes.
	Count  int64
	Stride int
	// Filter is applied to each element; "" means FilterNone.
	Filter Filter
}

// The range of strides ("Specifying compressed views").
const (
	minStride = 4
	maxStride = 256
)

// Check returns an error about a layout that the specification forbids.
func (l Layout) Check() error {
	switch {
	case l.Count < 0 || l.Stride < minStride || l.Stride > maxStride || l.Stride%4 != 0:
		return fmt.Errorf("%d elements of %d bytes are not allowed", l.Count, l.Stride)
	case !l.Filter.allows(l.Stride):
		return fmt.Errorf("the filter %s is not allowed for elements of %d bytes", input.Quote(string(l.Filter)), l.Stride)
	}
	return nil
}

const (
	// partBlocks is the number of blocks that are decoded together. They have at most 256 KiB.
	partBlocks = 32
	// maxParts is the number of decoded parts that a view keeps, so that several goroutines can
	// read different parts.
	maxParts = 4
)

// View is decoded data as a file. It is safe for concurrent use.
type View struct {
	name   string // for errors
	layout Layout
	stream *stream

	mu sync.Mutex
	// states contains the state of the decoder at the start of each part that was reached.
	states []state
	// parts are the most recently used decoded parts, the latest first.
	parts []part
}

var _ folder.File = (*View)(nil)

// state is what the decoder needs to continue: the offset in the stream and the previous element.
type state struct {
	at       int64
	previous []byte
}

// part is decoded data.
type part struct {
	number int64
	data   []byte
}

// Open returns the decoded data of a stream. Layout.Check must have returned nil. Faults of the
// stream are *input.Errors about name, from Open or from ReadAt. The view does not close the
// stream. A stream of the wrong length is found when the last part is decoded.
func Open(data folder.File, name string, layout Layout) (*View, error) {
	v := &View{name: name, layout: layout}
	var err error
	if v.stream, err = openStream(data, layout.Stride); err != nil {
		return nil, v.translate(err)
	}
	v.states = []state{{at: headerSize, previous: v.stream.baseline}}
	return v, nil
}

// Size implements folder.File: the size of the decoded data.
func (v *View) Size() int64 { return v.layout.Count * int64(v.layout.Stride) }

// Close implements folder.File. It does nothing.
func (v *View) Close() error { return nil }

// ReadAt implements folder.File.
func (v *View) ReadAt(b []byte, offset int64) (int, error) {
	if offset < 0 {
		return 0, errors.New("read a view at a negative offset")
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	done := 0
	for done < len(b) {
		at := offset + int64(done)
		if at >= v.Size() {
			return done, io.EOF
		}
		size := v.partSize()
		p, err := v.part(at / size)
		if err != nil {
			return done, v.translate(err)
		}
		done += copy(b[done:], p[at%size:])
	}
	return done, nil
}

// partSize returns the size of all parts except the last, in bytes.
func (v *View) partSize() int64 {
	return partBlocks * int64(blockElements(v.layout.Stride)) * int64(v.layout.Stride)
}

// part returns a decoded part. The caller holds mu.
func (v *View) part(number int64) ([]byte, error) {
	for i, p := range v.parts {
		if p.number == number {
			copy(v.parts[1:i+1], v.parts[:i])
			v.parts[0] = p
			return p.data, nil
		}
	}
	// Where a part starts is known only after the parts before it were decoded, once.
	for next := int64(len(v.states)) - 1; next < number; next++ {
		// decode notes the state at the start of the next part; the data itself is dropped.
		if _, err := v.decode(next); err != nil {
			return nil, err
		}
	}
	data, err := v.decode(number)
	if err != nil {
		return nil, err
	}
	// Writers read neighbours together, so the most recently used parts are needed next.
	v.parts = slices.Insert(v.parts, 0, part{number, data})
	v.parts = v.parts[:min(len(v.parts), maxParts)]
	return data, nil
}

// decode decodes a part whose start is known, and stores the state at the start of the next part.
// The caller holds mu.
func (v *View) decode(number int64) ([]byte, error) {
	start := number * v.partSize()
	data := make([]byte, min(v.partSize(), v.Size()-start))
	end, err := v.stream.decode(v.states[number], data)
	if err != nil {
		return nil, err
	}
	// A stream must end with its last element. Other bytes would mean a wrong count or stride.
	last := start+int64(len(data)) == v.Size()
	if last && end.at != v.stream.end {
		return nil, errDamaged
	}
	if !last && int64(len(v.states)) == number+1 {
		v.states = append(v.states, end)
	}
	v.layout.Filter.apply(data, v.layout.Stride)
	return data, nil
}

// translate returns an *input.Error about the file for a fault of the stream, and other errors
// unchanged.
func (v *View) translate(err error) error {
	if errors.Is(err, errDamaged) {
		return input.Damaged(v.name, "its data that meshoptimizer compressed cannot be decoded")
	}
	return err
}
